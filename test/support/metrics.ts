/** The value of a metric without labels, as `/metrics` shows it. */
export async function metric({ url }: { url: string }, name: string): Promise<number> {
  const text = await (await fetch(new URL('/metrics', url))).text()
  const value = new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]
  if (value === undefined) throw new Error(`there is no metric ${name}`)
  return Number(value)
}
