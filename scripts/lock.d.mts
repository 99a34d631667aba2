/** One process at a time does the work; one that died in it does not keep the others out. */
export function withLock<Result>(path: string, work: () => Result): Promise<Result>
