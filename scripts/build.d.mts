/** Brings `src/generated` and `dist` up to the sources. Rejects with what the compiler says. */
export function build(): Promise<void>
