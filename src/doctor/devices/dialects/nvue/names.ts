/**
 * Names and sizes in NVUE: lists and ranges of ports, sizes with units of 1024.
 * Source: NVIDIA Cumulus Linux User Guide (CumulusNetworks/docs).
 */

/** More ports than any device has. */
export const PORTS_MAX = 2048

/** Ports of "swp1,31", "swp1-4", "swp1-swp4,swp6", "swp1s0-3"; names of other interfaces are left as they are. */
export function portsIn(text: string, most: number): string[] {
  const names: string[] = []
  let base = ''
  for (const part of text.split(',')) {
    const [, head = '', first, tail, last] =
      /^([A-Za-z_]*(?:\d{1,4}s)?)(\d{1,4})(?:-([A-Za-z_]*(?:\d{1,4}s)?)(\d{1,4}))?$/.exec(part) ?? []
    if (head !== '') base = head
    if (first === undefined || (tail !== undefined && tail !== '' && tail !== base)) names.push(part)
    else for (let i = Number(first); i <= Number(last ?? first) && names.length < most; i++) names.push(`${base}${i}`)
    if (names.length >= most) break
  }
  return names
}

/** Front-panel ports: "swp1", "swp1s0". */
export const isPort = (name: string): boolean => /^swp\d+(?:s\d+)?$/.test(name)

const UNITS: Readonly<Record<string, number>> = {
  B: 1,
  Bytes: 1,
  KB: 1024,
  MB: 1024 ** 2,
  GB: 1024 ** 3,
  TB: 1024 ** 4,
}

/**
 * Bytes of a size as it is printed, with two decimals at most; undefined: "inf" and all else.
 * @param likely exact values, one of which is meant where it is printed like this
 */
export function sizeOf(text: string, likely: readonly number[] = []): number | undefined {
  const [, number, unit] = /^(\d{1,12}(?:\.\d{1,6})?)\s*([KMGT]?B|Bytes)$/.exec(text) ?? []
  if (number === undefined) return undefined
  const factor = UNITS[unit!]!
  const exact = likely.find((one) => (one / factor).toFixed(number.split('.')[1]?.length ?? 0) === number)
  return exact ?? Math.round(Number(number) * factor)
}

/** "400G" in bit/s; undefined: "auto" and all else. */
export function speedOf(text: string): number | undefined {
  const [, number, unit] = /^(\d{1,6})([GM])$/.exec(text) ?? []
  return number === undefined ? undefined : Number(number) * (unit === 'G' ? 1e9 : 1e6)
}

/** "enable", "enabled", "on", "yes" and their opposites; undefined: neither. */
export function isOn(text: string): boolean | undefined {
  if (/^(?:enabled?|on|yes|true|up)$/i.test(text)) return true
  return /^(?:disabled?|off|no|false|down)$/i.test(text) ? false : undefined
}
