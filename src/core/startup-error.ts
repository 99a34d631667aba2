/** A reason why Engraph does not start, in one line that the person at the terminal can act on. */
export class StartupError extends Error {
  override readonly name = 'StartupError'
}
