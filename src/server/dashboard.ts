import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'

const file = new URL('../../examples/dashboard.html', import.meta.url)

/** An example to start from, so that it is read each time: who changes it sees that at once. */
export async function sendDashboard(res: ServerResponse): Promise<void> {
  // Browsers hash what they have read, in which every end of a line is a line feed.
  const page = (await readFile(file, 'utf8')).replaceAll('\r\n', '\n')
  res.setHeader('content-type', 'text/html; charset=utf-8')
  res.setHeader('content-security-policy', contentSecurityPolicy(page))
  res.setHeader('cache-control', 'no-cache')
  res.end(page)
}

/** The page's own script and style, and no other; its script cannot make markup of texts either. */
const contentSecurityPolicy = (page: string) =>
  [
    "default-src 'none'",
    `script-src '${hashOf(page, 'script')}'`,
    `style-src '${hashOf(page, 'style')}'`,
    'img-src data:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')

function hashOf(page: string, name: 'script' | 'style'): string {
  const [, content = ''] = new RegExp(`<${name}[^>]*>(.*)</${name}>`, 's').exec(page) ?? []
  return `sha256-${createHash('sha256').update(content).digest('base64')}`
}
