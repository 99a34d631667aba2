import { isSecretName, isSecretParameter } from './secret-names.ts'

/** What stands where a secret stood. */
export const redacted = '[redacted]'

type Found = (secret: string) => void

/**
 * Takes out of a text what looks like a secret: keys by their shape, and what follows a name that a
 * secret has, in headers, URLs and JSON. `found` is told of each that is long enough to be sure of.
 */
export function hideInText(text: string, found: Found): string {
  if (text.length < 6) return text
  return rules.reduce((done, rule) => rule(done, found), text)
}

type Rule = (text: string, found: Found) => string

/** Replaces the last of what `pattern` captures, where `isSecret` agrees. */
function rule(pattern: RegExp, isSecret: (before: string[], value: string) => boolean): Rule {
  return (text, found) =>
    text.replace(pattern, (match: string, ...rest: unknown[]) => {
      const groups = rest.slice(
        0,
        rest.findIndex(each => typeof each === 'number'),
      ) as string[]
      const value = groups.pop() ?? ''
      if (value === '' || value === redacted || !isSecret(groups, value)) return match
      found(value)
      const place = match.lastIndexOf(value)
      return match.slice(0, place) + redacted + match.slice(place + value.length)
    })
}

const always = () => true

// Each pattern begins where no other match of it can have begun, or is bounded: a text can have
// megabytes of one word.
const shapes =
  /(?<![A-Za-z0-9])((?:sk|rk)[-_][A-Za-z0-9_-]{8,}|(?:gsk|hf|xai|pplx|engraph|lease)[-_][A-Za-z0-9_-]{20,}|gh[opsur]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abeprs]-[A-Za-z0-9-]{10,}|AIza[\w-]{30,}|bot\d{6,12}:[\w-]{30,}|(?:AKIA|ASIA)[A-Z0-9]{16}|(?<![_-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*)/g

const privateKey =
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----((?:\\[rn]|[A-Za-z0-9+/=\s]){1,20000})-----END/g

const bearer = /(?<![A-Za-z0-9])(bearer)(?:\s+|%20|\+)([^\s"'`,;<>\\)]{6,})/gi
const word =
  /^(?:tokens?|auth[a-z]*|schemes?|credentials?|headers?|formats?|shares?|bonds?|certificates?|must|should|prefix|before|without|instead)[.:?!]*$/i

const basic = /(?<![A-Za-z0-9])(basic)\s+([A-Za-z0-9+/_-]{6,}={0,2})/gi

/** Basic is a word too; a login and a password in base64 are hardly one. */
function isLogin(text: string): boolean {
  const login = Buffer.from(text, 'base64').toString()
  return /^[^:\uFFFD\p{Cc}]*:[^\uFFFD\p{Cc}]+$/u.test(login)
}

const header =
  /(?<![A-Za-z0-9])((?:proxy-|x-)?authorization|(?:x-)?api-key|x-goog-api-key|x-(?:auth|access)-token|ocp-apim-subscription-key)\\*["']?\s{0,9}:\s{0,9}\\*["']?(?:(?:bearer|basic|token|digest|negotiate|apikey)\s{1,9})?([^\s"'\\,;<>]+)/gi

const cookie =
  /(?<![A-Za-z0-9])((?:set-)?cookie)\s{0,9}:\s{0,9}([^\s=;:"'\\]{1,200}=[^\r\n"'\\]*)/gi

/** `api_key: …`, as configurations and logs say it. */
const setting =
  /(?<![\w.%~-])([A-Za-z][\w.-]{1,59})["']?\s{0,3}:\s{0,3}["']?([^\s"'`,;<>()[\]{}\\]{6,})/g

/** `--token …` */
const option = /(?<!\S)--?([A-Za-z][\w-]{1,59})\s{1,9}["']?([^\s"'`-][^\s"'`]{3,})/g
const login = /(?<!\S)(?:-u|--user|--proxy-user)\s{0,9}["']?[^\s:"']{1,200}:([^\s"']{1,200})/g

/** In prose and in shells: `passwd …`. */
const said =
  /(?<![A-Za-z0-9])(?:password|passwd|passphrase)\s{1,9}(?:is\s{1,9})?([^\s"'`,;<>\\]{6,})/gi

const element = /<([\w:.-]{1,60})>([^<>]{1,4000})<\/\1>/g

/** What follows in the address of a webhook is all that one needs to write there. */
const webhook =
  /(?:hooks\.slack\.com\/(?:services|workflows|triggers)|discord(?:app)?\.com\/api\/webhooks)\/([\w/-]{20,200})/gi

/** Words and counts are not, when it is only a colon that says so. */
const isMixed = (value: string) => /\d/.test(value) && /[^\d.:%]/.test(value)

/** A member of JSON that stands in a text, be it escaped up to four times more or not. */
const member =
  /((?<!\\)\\{0,15}["'])([\w.\- ]{1,60})\1\s{0,9}:\s{0,9}(\\{0,15}["'])((?:(?!\3)(?:\\.|[^\\\r\n]))*)\3/g

const parameter = /([?&#;]|(?<![\w.~%-]))([\w.~%-]{1,60})=([^\s&#"'`<>\\;,)]+)/g

const userinfo =
  /(?<![a-z0-9+.-])([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#@"':]{0,200}:([^\s/?#"']{1,200})@/gi

const rules: Rule[] = [
  rule(privateKey, always),
  rule(userinfo, always),
  rule(header, always),
  rule(cookie, always),
  rule(member, ([, name = '']) => isSecretName(name)),
  rule(parameter, ([mark = '', name = '']) =>
    mark === '' ? isSecretName(name) : isSecretParameter(withLetters(name)),
  ),
  rule(setting, ([name = ''], value) => isSecretName(name) && isMixed(value)),
  rule(option, ([name = '']) => isSecretName(name)),
  rule(login, always),
  rule(said, (_before, value) => isMixed(value)),
  rule(element, ([name = '']) => isSecretName(name)),
  rule(webhook, always),
  rule(bearer, (_before, value) => !word.test(value)),
  rule(basic, (_before, value) => isLogin(value)),
  rule(shapes, always),
]

/** The name of a parameter, in which letters too may be spelled as `%61`. */
const withLetters = (name: string) =>
  name.replace(/%([4-7][0-9a-f])/gi, (_spelling, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )

/** As a parameter says it, or as it is where it says nothing. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
