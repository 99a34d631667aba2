// What a secret is called: in a key of JSON, a header, a parameter. Spelling does not count: apiKey,
// api-key, API_KEY and x-api-key all end in «apikey».

const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '')

const purposes =
  'api|secret|private|access|account|auth|subscription|functions|signing|shared|encryption|master|admin|service|license|ssh|pgp|gpg'
const providers =
  'openai|anthropic|claude|azure|aws|google|gemini|vertex|mistral|cohere|groq|xai|grok|deepseek|perplexity|together|fireworks|replicate|huggingface|openrouter|elevenlabs|voyage|tavily|serpapi|pinecone|stripe'
const called = new RegExp(
  `(?:authorization|(?:${purposes}|${providers})key|secret|password|passwd|passphrase|passcode|pwd|cookie|credential)s?(?:header|value|\\d+)?$` +
    '|token(?:header|value|\\d+)?$|^(?:auth|bearer|jwt|pass|otp|pin|pincode|otpcode)$|(?:db|user|smtp|ftp|root|admin|redis|mysql|postgres)pass$',
)

// Models have tokens too, of which no one is a secret.
const ofModels = /^(?:bos|eos|pad|unk|sep|cls|mask|stop|start|end|new|next|max|min)token$/

export function isSecretName(name: string): boolean {
  if (name.length > 100) return false
  const spelled = plain(name)
  return called.test(spelled) && !ofModels.test(spelled)
}

const shortNames = new Set(['key', 'sig', 'signature', 'code'])

/** Of a parameter in a URL, where shorter names are usual. */
export const isSecretParameter = (name: string) => isSecretName(name) || shortNames.has(plain(name))

/** Of a token, which can be a number that is counted or looked up. */
export const isTokenName = (name: string) => /tokens?$/.test(plain(name))

const headers = new Set([
  'authorization',
  'proxyauthorization',
  'xapikey',
  'apikey',
  'xgoogapikey',
  'xauthtoken',
  'xaccesstoken',
  'cookie',
  'setcookie',
])

/** Of a header, where a list has names and values by turns. */
export const isSecretHeader = (name: string) => name.length <= 100 && headers.has(plain(name))
