import type { ServerOptions } from '../../src/server/server.ts'

/** For servers that nobody follows changes of. */
export const noFeed: ServerOptions['feed'] = {
  position: '',
  follow() {
    throw new Error('this server has no change log')
  },
  watchAccess: () => () => {},
}
