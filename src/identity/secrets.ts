import { createHash, randomBytes } from 'node:crypto'

/** Tells a token of ours from a JWT, and lets secret scanners find one that was leaked. */
const prefix = 'engraph_'

export const newSecret = () => prefix + randomBytes(32).toString('base64url')

export const isSecret = (token: string) => token.startsWith(prefix)

/** What is kept of a secret. It has 256 random bits, so a fast hash is enough. */
export const hashSecret = (secret: string) => createHash('sha256').update(secret).digest('hex')
