// Opens an embedded PostgreSQL as another process would, and says its URL; closes it at SIGTERM.
//   node embedded-user.mjs <directory> server|tool
import { openEmbeddedPostgres } from '../../dist/core/postgres/embedded-postgres.js'

const [directory, role] = process.argv.slice(2)
const log = { info() {}, warn() {}, error() {} }
try {
  const postgres = await openEmbeddedPostgres({ directory, log, role })
  process.once('SIGTERM', async () => {
    await postgres.close()
    process.exit()
  })
  process.stdout.write(`${postgres.url}\n`)
} catch (error) {
  process.stderr.write(error.message)
  process.exitCode = 1
}
