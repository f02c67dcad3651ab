/**
 * Measure: runs one case in its own process and prints one JSON object on standard output.
 * Rate: packet-hops per CPU second of the event loop after a warm-up. Heap: live bytes after a forced collection at
 * two points ten million packet-hops apart.
 */
import { widenInlining } from '../src/cli/inlining.ts'
import { createSimulation } from '../src/lab/index.ts'
import { bareLoop } from './bare-loop.ts'
import { modules } from './modules.ts'
import { cases, SCHEME_HOPS, SCHEME_WARM_UP_HOPS, schemeCases } from './cases.ts'

const SLICE_EVENTS = 16_384
const HEAP_SPAN_HOPS = 10e6

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

function liveBytes(): number {
  globalThis.gc?.()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

/** Rate between two instants of simulated time, to see whether runs slow down as flows accumulate. */
class TimeWindow {
  millionPerSecond = NaN
  #hops = NaN
  #cpu = NaN
  readonly #fromPs: number
  readonly #toPs: number
  constructor(fromPs: number, toPs: number) {
    this.#fromPs = fromPs
    this.#toPs = toPs
  }
  look(nowPs: number, hops: number): void {
    if (Number.isNaN(this.#hops)) {
      if (nowPs < this.#fromPs) return
      this.#hops = hops
      this.#cpu = cpuSeconds()
    } else if (Number.isNaN(this.millionPerSecond) && nowPs >= this.#toPs) {
      this.millionPerSecond = (hops - this.#hops) / (cpuSeconds() - this.#cpu) / 1e6
    }
  }
}

function measure(name: string): object {
  const scheme = schemeCases.find((one) => one.name === name)
  const bench =
    scheme === undefined
      ? cases.find((one) => one.name === name)!
      : { ...scheme, warmUpHops: SCHEME_WARM_UP_HOPS, hops: SCHEME_HOPS }
  const simulation = createSimulation(bench.scenario())
  const early = new TimeWindow(5e9, 6e9)
  const late = new TimeWindow(14e9, 14.9e9)
  let warmHops = 0
  let warmCpu = 0
  let pausedCpu = 0
  let heapFrom = NaN
  let heapTo = NaN
  while (simulation.advance(SLICE_EVENTS)) {
    const { packetHops, nowPs } = simulation.progress()
    if (warmHops === 0 && packetHops >= bench.warmUpHops) {
      heapFrom = liveBytes()
      warmHops = packetHops
      warmCpu = cpuSeconds()
    }
    if (warmHops > 0 && Number.isNaN(heapTo) && packetHops >= warmHops + HEAP_SPAN_HOPS) {
      const before = cpuSeconds()
      heapTo = liveBytes()
      pausedCpu += cpuSeconds() - before
    }
    early.look(nowPs, packetHops)
    late.look(nowPs, packetHops)
    if (packetHops >= bench.hops) break
  }
  const cpu = cpuSeconds() - warmCpu - pausedCpu
  const { packetHops } = simulation.progress()
  const result = simulation.result(true)
  return {
    case: name,
    millionPacketHopsPerCpuSecond: (packetHops - warmHops) / cpu / 1e6,
    packetHops,
    eventsPerPacketHop: result.counters.events / packetHops,
    digest: result.digest,
    peakRssBytes: process.resourceUsage().maxRSS * 1024,
    heapGrowthBytesPer10MillionHops: heapTo - heapFrom,
    flowsStarted: result.flows.rowCount,
    rateBetween5And6Ms: early.millionPerSecond,
    rateBetween14And15Ms: late.millionPerSecond,
  }
}

/** Runs each module a few times, the first as warm-up. */
function moduleRates(): object[] {
  return modules.map((each) => {
    each.run()
    const before = cpuSeconds()
    let operations = 0
    for (let i = 0; i < 5; i++) operations += each.run()
    return { name: each.name, million: operations / (cpuSeconds() - before) / 1e6 }
  })
}

async function answerTo(name: string, arity: number): Promise<object> {
  if (name === 'bare') return { million: bareLoop(arity, 1e7, cpuSeconds) }
  // Loaded where it is asked for: it draws figures, and what draws them is 30 MB, which would count for every case.
  if (name === 'growth') return (await import('./growth.ts')).grow(arity, cpuSeconds)
  return name === 'modules' ? moduleRates() : measure(name)
}

widenInlining()
const [name, arity] = process.argv.slice(2)
const answer = await answerTo(name!, Number(arity))
process.stdout.write(`${JSON.stringify(answer)}\n`)
