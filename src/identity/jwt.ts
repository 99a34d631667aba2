import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from 'jose'
import { z } from 'zod'
import { DomainError, unauthenticated } from '../core/errors.ts'
import { isStorable } from '../core/text.ts'

/** How JWTs are verified: by a shared secret or by the keys at an address, never by both. */
export interface JwtSettings {
  JWT_SECRET?: string | undefined
  JWKS_URL?: string | undefined
  JWT_ISSUER?: string | undefined
  JWT_AUDIENCE?: string | undefined
}

const claims = z.object({
  sub: z.string().min(1),
  // Up to the end of the year 9999, beyond which there is no date that everybody can read.
  exp: z.number().min(0).max(253_402_300_799).optional(),
  groups: z.array(z.string().refine(isStorable)).optional(),
  role: z.enum(['member', 'admin']).optional(),
  kind: z.enum(['user', 'agent', 'worker']).optional(),
  llm: z.string().min(1).optional(),
})

export type JwtClaims = z.infer<typeof claims>

/**
 * Verifies a JWT.
 * @throws UNAUTHENTICATED for a token that does not hold, SERVICE_BUSY where the keys cannot be read
 */
export type VerifyJwt = (token: string) => Promise<JwtClaims>

/** Undefined where nothing to verify a JWT with is configured, so that none is accepted. */
export function jwtVerifier(settings: JwtSettings): VerifyJwt | undefined {
  const check = keysOf(settings)
  if (!check) return undefined
  return async token => {
    const read = claims.safeParse(await check(token))
    if (!read.success) {
      throw unauthenticated(`The JWT's claim ${read.error.issues[0]?.path.join('.')} is wrong.`)
    }
    if (read.data.kind === 'agent' && !read.data.llm) {
      throw unauthenticated("An agent's JWT must have the claim llm.")
    }
    return read.data
  }
}

function keysOf(settings: JwtSettings): ((token: string) => Promise<JWTPayload>) | undefined {
  const { JWT_SECRET, JWKS_URL, JWT_ISSUER, JWT_AUDIENCE } = settings
  const expected: JWTVerifyOptions = {
    ...(JWT_ISSUER && { issuer: JWT_ISSUER }),
    ...(JWT_AUDIENCE && { audience: JWT_AUDIENCE }),
    clockTolerance: 5,
  }
  // The kinds of algorithm are kept apart: a public key must never serve as a shared secret.
  if (JWT_SECRET) {
    const key = new TextEncoder().encode(JWT_SECRET)
    const algorithms = ['HS256', 'HS384', 'HS512']
    return token => verified(jwtVerify(token, key, { ...expected, algorithms }))
  }
  if (JWKS_URL) {
    const keys = createRemoteJWKSet(new URL(JWKS_URL))
    const algorithms = [
      'RS256',
      'RS384',
      'RS512',
      'PS256',
      'PS384',
      'PS512',
      'ES256',
      'ES384',
      'ES512',
      'EdDSA',
    ]
    return token => verified(jwtVerify(token, keys, { ...expected, algorithms }))
  }
  return undefined
}

const faultsOfTokens = [
  errors.JWTInvalid,
  errors.JWTClaimValidationFailed,
  errors.JWSInvalid,
  errors.JWSSignatureVerificationFailed,
  errors.JOSEAlgNotAllowed,
  errors.JOSENotSupported,
  errors.JWKSNoMatchingKey,
  errors.JWKSMultipleMatchingKeys,
]

async function verified(result: Promise<{ payload: JWTPayload }>): Promise<JWTPayload> {
  try {
    return (await result).payload
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw unauthenticated('The token has expired.')
    if (faultsOfTokens.some(fault => error instanceof fault)) {
      throw unauthenticated('The token is not valid.')
    }
    throw new DomainError(
      'SERVICE_BUSY',
      'The keys of the identity provider cannot be read. Try again.',
      undefined,
      { cause: error },
    )
  }
}
