/**
 * Sort key: the number that a text of a table begins with, in the base of its unit, so that "900 us" stands before "1.73 ms".
 */

const UNITS: Readonly<Record<string, number>> = {
  ps: 1,
  ns: 1e3,
  us: 1e6,
  ms: 1e9,
  s: 1e12,
  B: 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
  bps: 1,
  Kbps: 1e3,
  Mbps: 1e6,
  Gbps: 1e9,
  Tbps: 1e12,
  'Gb/s': 1e9,
  'Mb/s': 1e6,
  '%': 0.01,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
}

const NUMBER = /^[-−+]?(?:\d[\d,]*)(?:\.\d+)?(?:e[-+]?\d+)?/i

/** Undefined: the text does not begin with a number, or is empty. */
export function sortKey(text: string): number | undefined {
  const [digits] = NUMBER.exec(text.trim()) ?? []
  if (digits === undefined) return undefined
  const [, over, unit = ''] = /^(?:\/(\d+))? ?([A-Za-z%][\w/]*|%)?/.exec(text.trim().slice(digits.length)) ?? []
  const number = Number(digits.replaceAll(',', '').replace('−', '-')) / Number(over ?? 1)
  return number * (Object.hasOwn(UNITS, unit) ? UNITS[unit]! : 1)
}

/** Whether a cell says that there is nothing. */
export function isAbsent(text: string): boolean {
  return ['', '-', '–'].includes(text.trim())
}
