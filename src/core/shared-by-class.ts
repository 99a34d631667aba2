import { createHash } from 'node:crypto'
import { type Access, permissionClass, type Viewer } from './context.ts'
import { unauthenticated } from './errors.ts'
import type { SharedResults } from './shared-results.ts'

export interface SharedWork<Subject, Result> {
  /** Names what the result depends on besides the viewer and the subject. */
  name: string
  keyOf(subject: Subject): string
  work(subject: Subject, viewer: Viewer): Promise<Result>
}

/**
 * Results that viewers who see the same share, for one of them, with the rights that they have by then.
 * Nothing is waited for where the result is there and the rights are known.
 * @throws UNAUTHENTICATED, the answer does
 */
export function sharedByClass<Subject, Result>(
  results: SharedResults<Result>,
  access: Access,
  { name, keyOf, work }: SharedWork<Subject, Result>,
): (subject: Subject) => Result | Promise<Result> {
  let known: Viewer | undefined
  let group = ''
  const shared = (subject: Subject, viewer: Viewer | null) => {
    if (viewer === null) throw unauthenticated()
    if (viewer !== known) group = shorten(JSON.stringify([name, permissionClass(viewer)]))
    known = viewer
    return results.once(`${group} ${keyOf(subject)}`, () => work(subject, viewer))
  }
  return subject => {
    const viewer = access.current()
    if (!(viewer instanceof Promise)) return shared(subject, viewer)
    return viewer.then(renewed => shared(subject, renewed))
  }
}

/** It stands in a key for each subject, and a name can hold a client's whole filter. */
const shorten = (text: string) => createHash('sha256').update(text).digest('base64')
