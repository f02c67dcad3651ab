/**
 * Names in Junos: codepoints and their aliases, interfaces and wildcards for them, speeds.
 * Source: Junos CoS User Guide ("Default CoS Values and Aliases"), interface naming.
 */

const ALIASES: Readonly<Record<string, number>> = {
  be: 0,
  ef: 46,
  nc1: 48,
  nc2: 56,
  ...Object.fromEntries(Array.from({ length: 7 }, (_, i) => [`cs${i + 1}`, (i + 1) * 8])),
  ...Object.fromEntries(
    [1, 2, 3, 4].flatMap((group) => [1, 2, 3].map((drop) => [`af${group}${drop}`, group * 8 + drop * 2])),
  ),
}

/** DSCP of six bits or an alias; undefined: neither. @param own aliases of the configuration, to their bits */
export function dscpOf(text: string, own: ReadonlyMap<string, string>): number | undefined {
  const bits = own.get(text) ?? text
  if (/^[01]{6}$/.test(bits)) return Number.parseInt(bits, 2)
  return Object.hasOwn(ALIASES, text) ? ALIASES[text] : undefined
}

/** Priority of three bits; undefined: no such. */
export function priorityOf(text: string): number | undefined {
  return /^[01]{3}$/.test(text) ? Number.parseInt(text, 2) : undefined
}

/** Front-panel ports: "et-0/0/10", "et-0/0/10:0". */
export const isPort = (name: string): boolean => /^(?:et|xe|ge|fte|mge|xle|te)-\d+\/\d+\/\d+(?::\d+)?$/.test(name)

export const isWildcard = (name: string): boolean => name === 'all' || /[*?[]/.test(name)

const WILDCARD_LENGTH_MAX = 100

/** Whether a name is one of those that a wildcard with *, ? and [0-9] stands for. */
export function matches(wildcard: string, name: string): boolean {
  if (wildcard === name || wildcard === 'all' || wildcard === '*') return true
  if (wildcard.length > WILDCARD_LENGTH_MAX || name.length > WILDCARD_LENGTH_MAX) return false
  const parts = wildcard.match(/\[[^\]]*\]|./g) ?? []
  let [part, at, star, back] = [0, 0, -1, 0]
  while (at < name.length)
    if (part < parts.length && parts[part] !== '*' && isOne(parts[part]!, name[at]!)) [part, at] = [part + 1, at + 1]
    else if (parts[part] === '*') [star, back, part] = [part, at, part + 1]
    else if (star >= 0) [part, at, back] = [star + 1, back + 1, back + 1]
    else return false
  while (parts[part] === '*') part++
  return part === parts.length
}

function isOne(part: string, letter: string): boolean {
  if (part === '?') return true
  if (part.length < 3) return part === letter
  for (let i = 1; i < part.length - 1; i++)
    if (part[i + 1] === '-' && i + 2 < part.length - 1) {
      if (letter >= part[i]! && letter <= part[i + 2]!) return true
      i += 2
    } else if (part[i] === letter) return true
  return false
}

/** Names from one to another that differ in their last number: "et-0/0/0" to "et-0/0/3"; at most `most`. */
export function namesBetween(first: string, last: string, most: number): string[] {
  if (Math.max(first.length, last.length) > WILDCARD_LENGTH_MAX) return []
  const [, base, from] = /^(.*?)(\d+)$/.exec(first) ?? []
  const [, end, to] = /^(.*?)(\d+)$/.exec(last) ?? []
  if (base === undefined || base !== end || Number(to) - Number(from) >= most) return []
  return Array.from({ length: Math.max(0, Number(to) - Number(from) + 1) }, (_, i) => `${base}${Number(from) + i}`)
}

/** "400g" in bit/s; undefined: "auto" and all else. */
export function speedOf(text: string): number | undefined {
  const [, number, unit] = /^(\d{1,6})([gm])(?:bps)?$/i.exec(text) ?? []
  return number === undefined ? undefined : Number(number) * (unit!.toLowerCase() === 'g' ? 1e9 : 1e6)
}
