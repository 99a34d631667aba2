import { type FileHandle, open } from 'node:fs/promises'

/** A file that cannot be imported, or written, with one line that says why. */
export class FileError extends Error {
  override readonly name = 'FileError'
}

export interface InputFile {
  path: string
  /** In bytes; 0 for a pipe. */
  size: number
  chunks: AsyncIterable<Uint8Array>
  close(): Promise<void>
}

/** @throws FileError when it is not there, not readable or a directory */
export async function openInput(path: string): Promise<InputFile> {
  const handle = await open(path).catch(error => refuse(path, error))
  const stat = await handle.stat()
  if (stat.isDirectory()) {
    await handle.close()
    throw new FileError(`${path}: it is a directory`)
  }
  return { path, size: stat.size, chunks: read(path, handle), close: () => handle.close() }
}

async function* read(path: string, handle: FileHandle): AsyncGenerator<Uint8Array> {
  const stream = handle.createReadStream({ autoClose: false })
  try {
    yield* stream
  } catch (error) {
    refuse(path, error)
  }
}

const reasons: Record<string, string | undefined> = {
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'there is no such file or folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a directory',
}

/** @throws FileError that says what the system answered */
export function refuse(path: string, error: unknown): never {
  const { code, message } = error as NodeJS.ErrnoException
  throw new FileError(`${path}: ${reasons[code ?? ''] ?? message}`, { cause: error })
}
