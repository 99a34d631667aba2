import { examples } from './graphiql-examples.ts'

/** Where the parts of GraphiQL are served; the names are those of the assets. */
export const assetRoot = '/graphql/assets/'

/** Everything comes from this server. Monaco writes style elements, which no policy can name. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

export const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width" />
    <meta name="referrer" content="no-referrer" />
    <title>Engraph</title>
    <link rel="icon" href="${assetRoot}favicon.ico" />
    <link rel="stylesheet" href="${assetRoot}graphiql.css" />
  </head>
  <body id="body" class="no-focus-outline">
    <noscript>GraphiQL needs JavaScript.</noscript>
    <div id="root"></div>
    <script src="${assetRoot}graphql-ws.js"></script>
    <script src="${assetRoot}graphiql.js"></script>
    <script src="${assetRoot}start.js"></script>
  </body>
</html>
`

/**
 * GraphiQL lets its tabs be dragged, and leaves them with the transform of where they first stood. It
 * hides that only until a tab has the focus: then the tab jumps away from under the click.
 */
export const style = '.graphiql-tab { transform: none !important }'

/**
 * Runs in the browser. A token in the link's fragment goes into the headers of every tab and out of
 * the address bar; requests and subscriptions then carry what the headers editor holds.
 */
export const startScript = `'use strict'
{
  const endpoint = new URL('/graphql', location.href)
  const tabsKey = 'graphiql:tabState'
  const headersKey = 'graphiql:headers'

  const token = new URLSearchParams(location.hash.slice(1)).get('token')
  if (token) {
    history.replaceState(null, '', location.pathname + location.search)
    keep(token)
  }

  // A link with a token that is pasted into an open page changes nothing but the fragment.
  addEventListener('hashchange', () => {
    if (location.hash.includes('token=')) location.reload()
  })

  /** GraphiQL keeps its tabs in the local storage, and an old tab would go on with an old token. */
  function keep(token) {
    const state = read(localStorage.getItem(tabsKey))
    const tabs = Array.isArray(state?.tabs) ? state.tabs : []
    for (const tab of tabs) tab.headers = withToken(tab.headers, token)
    if (tabs.length > 0) localStorage.setItem(tabsKey, JSON.stringify(state))
    const active = tabs[state?.activeTabIndex]
    localStorage.setItem(headersKey, active ? active.headers : withToken(null, token))
  }

  function withToken(headers, token) {
    const others = Object.entries(read(headers) ?? {}).filter(
      ([name]) => name.toLowerCase() !== 'authorization',
    )
    const all = { Authorization: 'Bearer ' + token, ...Object.fromEntries(others) }
    return JSON.stringify(all, null, 2)
  }

  function read(text) {
    try {
      return JSON.parse(text)
    } catch {
      return undefined
    }
  }

  async function request(params, headers) {
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
      body: JSON.stringify(params),
    })
    return response.json()
  }

  function subscribe(params, headers) {
    const url = new URL(endpoint)
    url.protocol = url.protocol.replace('http', 'ws')
    return graphqlWs.createClient({ url: url.href, connectionParams: headers }).iterate(params)
  }

  function isSubscription({ operationName }, document) {
    return (document?.definitions ?? []).some(
      ({ kind, operation, name }) =>
        kind === 'OperationDefinition' &&
        operation === 'subscription' &&
        (!operationName || name?.value === operationName),
    )
  }

  self.MonacoEnvironment = {
    getWorkerUrl: (_module, label) => '${assetRoot}' + label + '.js',
  }

  const headers = localStorage.getItem(headersKey) ?? ''
  YogaGraphiQL.renderYogaGraphiQL(document.querySelector('#root'), {
    title: 'Engraph',
    logo: '',
    headers,
    defaultTabs: ${JSON.stringify(examples)}.map(query => ({ query, headers })),
    // The address stays short: a long query in it could not be loaded again.
    onEditQuery() {},
    fetcher: (params, { headers, documentAST } = {}) =>
      isSubscription(params, documentAST) ? subscribe(params, headers) : request(params, headers),
  })
}
`
