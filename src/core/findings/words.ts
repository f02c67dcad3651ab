/**
 * Words that sentences of several findings share.
 */
import { exactCount, humanDuration, humanRate } from '../base/format.ts'

/** "class 3, 4" */
export function classText(classes: readonly number[]): string {
  return `class ${classes.join(', ')}`
}

/** Alpha as people write it: "1/16". */
export function alphaText(alpha: number): string {
  return alpha > 0 && alpha < 1 && Number.isInteger(1 / alpha) ? `1/${1 / alpha}` : String(alpha)
}

/** "100 Gbps and 200 ns" */
export function linkText({ rateBps, delayPs }: { readonly rateBps: number; readonly delayPs: number }): string {
  return `${humanRate(rateBps)} and ${humanDuration(delayPs)}`
}

/** "1 flow", "1,200 flows", "2 switches". */
export function counted(count: number, word: string): string {
  const many = /[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}ies` : `${word}${word.endsWith('ch') ? 'es' : 's'}`
  return `${exactCount(count)} ${count === 1 ? word : many}`
}

/** "once", "1,200 times" */
export function timesText(count: number): string {
  return count === 1 ? 'once' : `${exactCount(count)} times`
}

/** "buffer full 10, link loss 2". */
export function listOf(parts: Readonly<Record<string, number>>): string {
  return Object.entries(parts)
    .map(([name, count]) => `${name} ${exactCount(count)}`)
    .join(', ')
}

/** Sum over all parts. */
export function totalOf(parts: Readonly<Record<string, number>>): number {
  return Object.values(parts).reduce((sum, count) => sum + count, 0)
}

export function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
