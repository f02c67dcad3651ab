/**
 * Callgrind: counts of a run by address, and by function with V8's map of compiled code (--perf-basic-prof). Of code that
 * was moved or compiled anew the last at an address has it.
 */

/** Sums of a function. */
export interface Sums {
  name: string
  instructions: number
  l1iMisses: number
  l1dMisses: number
  l2Misses: number
  /** Lines of the instruction cache that are hot. */
  hotLines: number
}

const LINE_SHIFT = 6
/** A line of costs: an address, absolute or from the last one, a line of source, and numbers by event. */
const COSTS = /^(0x[\da-f]+|[+-]\d+|\*) \S+ (\d[\d ]*)$/

export class Profile {
  readonly total: Sums = sumsOf('')
  readonly #byName = new Map<string, Sums>()

  /** @param counts a dump of callgrind with addresses  @param hotCount executions of a line of code that is hot */
  constructor(counts: string, map: string, hotCount: number) {
    const code = new CompiledCode(map)
    const lines = new Map<number, { count: number; readonly name: string }>()
    let at: Readonly<Record<string, number>> = {}
    let address = 0
    let isCall = false
    let native = ''
    const natives = new Map<string, string>()
    for (const line of counts.split('\n')) {
      if (line.startsWith('events:'))
        at = Object.fromEntries(
          line
            .split(' ')
            .slice(1)
            .map((event, i) => [event, i]),
        )
      else if (line.startsWith('fn=')) native = nativeName(line, natives)
      else if (line.startsWith('cfn=')) nativeName(line.slice(1), natives)
      else if (line.startsWith('calls=')) isCall = true
      const [, where, costs] = COSTS.exec(line) ?? []
      if (where === undefined) continue
      address = where === '*' ? address : where.startsWith('0x') ? Number(where) : address + Number(where)
      // The line below a call has what the callee cost, which is counted there.
      if (isCall) isCall = false
      else {
        const values = costs!.split(' ').map(Number)
        const of = (event: string): number => values[at[event]!] ?? 0
        const name = code.at(address) ?? native
        this.#add(name, of('Ir'), of('I1mr'), of('D1mr') + of('D1mw'), of('DLmr') + of('DLmw'))
        const cacheLine = Math.floor(address / 2 ** LINE_SHIFT)
        const known = lines.get(cacheLine)
        if (known === undefined) lines.set(cacheLine, { count: of('Ir'), name })
        else known.count = Math.max(known.count, of('Ir'))
      }
    }
    for (const { count, name } of lines.values()) {
      if (count < hotCount) continue
      this.total.hotLines++
      this.#sums(name).hotLines++
    }
  }

  /** From the one with the most instructions on. */
  functions(): Sums[] {
    return [...this.#byName.values()].sort((a, b) => b.instructions - a.instructions)
  }

  #sums(name: string): Sums {
    let sums = this.#byName.get(name)
    if (sums === undefined) this.#byName.set(name, (sums = sumsOf(name)))
    return sums
  }

  #add(name: string, instructions: number, l1iMisses: number, l1dMisses: number, l2Misses: number): void {
    for (const sums of [this.total, this.#sums(name)]) {
      sums.instructions += instructions
      sums.l1iMisses += l1iMisses
      sums.l1dMisses += l1dMisses
      sums.l2Misses += l2Misses
    }
  }
}

const sumsOf = (name: string): Sums => ({
  name,
  instructions: 0,
  l1iMisses: 0,
  l1dMisses: 0,
  l2Misses: 0,
  hotLines: 0,
})

/** Callgrind writes a name once and its number later: "fn=(12) malloc", "fn=(12)". */
function nativeName(line: string, names: Map<string, string>): string {
  const [, number = '', name] = /^fn=\((\d+)\)(?: (.*))?$/.exec(line) ?? []
  if (name !== undefined) names.set(number, name)
  return names.get(number) ?? '?'
}

/** Functions by address. */
class CompiledCode {
  readonly #starts: Float64Array
  readonly #pieces: readonly (readonly [start: number, length: number, name: string])[]

  constructor(map: string) {
    const byStart = new Map<number, readonly [number, number, string]>()
    for (const line of map.split('\n')) {
      const [, start, length, name] = /^([\da-f]+) ([\da-f]+) (.*)$/.exec(line) ?? []
      if (start !== undefined)
        byStart.set(Number.parseInt(start, 16), [
          Number.parseInt(start, 16),
          Number.parseInt(length!, 16),
          shown(name!),
        ])
    }
    this.#pieces = [...byStart.values()].sort(([a], [b]) => a - b)
    this.#starts = Float64Array.from(this.#pieces, ([start]) => start)
  }

  /** Undefined: no compiled code. */
  at(address: number): string | undefined {
    let [low, high] = [0, this.#starts.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#starts[middle]! <= address) low = middle + 1
      else high = middle
    }
    const piece = this.#pieces[low - 1]
    return piece !== undefined && address < piece[0] + piece[1] ? piece[2] : undefined
  }
}

/** "*depart src/core/fabric/port.js:12" of "JS:*depart file:///a/dist-bench/src/core/fabric/port.js:12:3". */
const shown = (name: string): string =>
  name
    .replace(/^JS:/, '')
    .replace(/file:\/\/\S*?dist-bench\//, '')
    .replace(/(:\d+):\d+$/, '$1')
