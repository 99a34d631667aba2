const longestTimer = 2 ** 31 - 1

/**
 * Calls back once `date` has passed, however far off it is, and at once for a date that is none; the
 * answer calls the alarm off.
 */
export function alarmAt(date: Date, ring: () => void): () => void {
  let timer: NodeJS.Timeout
  const wait = () => {
    const left = date.getTime() - Date.now()
    if (!(left > 0)) return ring()
    timer = setTimeout(wait, Math.min(left, longestTimer))
    timer.unref()
  }
  wait()
  return () => clearTimeout(timer)
}
