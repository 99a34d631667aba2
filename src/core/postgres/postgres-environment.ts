const passedOn = ['PATH', 'TMPDIR', 'TEMP', 'SystemRoot', 'LD_LIBRARY_PATH']

/** What PostgreSQL's programs see: PGPORT or PGDATA would mislead them, secrets are not for them. */
export function postgresEnvironment(): NodeJS.ProcessEnv {
  const kept = passedOn.filter(name => process.env[name] !== undefined)
  return { ...Object.fromEntries(kept.map(name => [name, process.env[name]])), LC_ALL: 'C' }
}
