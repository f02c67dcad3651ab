/** Values of hardware: each with how it is known, and from where. What nobody has published is absent. */

/**
 * measured: on hardware, by the source. vendor: a page or text of its maker. code: read in source code. derived: computed from
 * measurements, as the source says. guess: nobody has published it.
 */
export type Status = 'measured' | 'vendor' | 'code' | 'derived' | 'guess'

export interface Known<T> {
  readonly value: T
  readonly status: Status
  /** Thread, page or file; not empty. */
  readonly source: string
}

const known =
  (status: Status) =>
  <T>(value: T, source: string): Known<T> => ({ value, status, source })

export const measured: <T>(value: T, source: string) => Known<T> = known('measured')
export const vendor: <T>(value: T, source: string) => Known<T> = known('vendor')
export const code: <T>(value: T, source: string) => Known<T> = known('code')
export const derived: <T>(value: T, source: string) => Known<T> = known('derived')

/** Values of a profile that have no source, by name. */
export function withoutSource(profile: object): string[] {
  return Object.entries(profile).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'object' && value !== null && 'status' in value && 'source' in value && value.source !== ''
      ? []
      : name === 'name' || name === 'help'
        ? []
        : [name],
  )
}
