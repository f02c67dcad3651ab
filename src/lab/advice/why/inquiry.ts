/**
 * Inquiry: runs a scenario again without its suspects, and finds those without which its messages are faster. The same seed,
 * so that all else is the same.
 */
import { SLOW } from '../../../show/index.ts'
import { affectedIn, type Effect, effectOf } from './affected.ts'
import type { Scenario } from '../../scenario/index.ts'
import { COUNTS, counts, helps, isFault, isWorse, isWrong } from './judging.ts'
import { type Gain, gainOf, Ideals, movedBack, numbersIn, type Numbers, type Sample } from './sample.ts'
import { keyOf, setsOf, STAGES, type Suspect } from './suspect.ts'
import { type Trial, trialOf } from './trial.ts'

/** Beyond any number of messages. */
const FOCUSED = 1e15
/** A cause is named before others that gain as much, but for this share. */
const NEARLY = 0.9
/** Suspects that are tried alone; the others together. */
const SINGLES = 6
/** The best of which pairs are removed, where none counts alone. */
const PAIRED = 3
/** Causes for which remedies are tried, and how many. */
const REMEDIED = 2
const REMEDIES_TRIED = 2
/** Rounds on the cured world. */
const ROUNDS = 3

/** Runs trials. Null: it was not run, as the budget is spent or it was interrupted. */
export type RunTrials = (trials: readonly Trial[]) => Promise<readonly (Sample | null)[]>

/** A suspect with the run without it, and what it does to the affected messages. */
export interface Tried extends Effect {
  readonly suspects: readonly Suspect[]
  readonly sets: readonly string[]
  /** Suspects that were away in both runs that are compared. */
  readonly beyond: readonly Suspect[]
  readonly gain: Gain
  readonly digest: string
}

/** A remedy that helps: better by a twentieth or more for the affected, and no number of theirs is worse by as much. */
export interface Remedied {
  /** Row of the cause; null: of the load. */
  readonly cause: number | null
  readonly sets: readonly string[]
  readonly digest: string
  readonly before: Numbers
  readonly after: Numbers
  readonly othersBefore: Numbers
  readonly othersAfter: Numbers
}

/** Overrides to try against a cause, the likeliest first. @param suspect null: the load */
export type RemediesFor = (suspect: Suspect | null) => readonly (readonly string[])[]

/**
 * load: messages are slow, and of all that was suspected nothing is the cause. unknown: the same, but some was not tried. calm:
 * no message is slow.
 */
export type Verdict = 'causes' | 'load' | 'unknown' | 'calm'

export interface Answer {
  readonly verdict: Verdict
  /** Without them the messages are faster: the first matters most. */
  readonly causes: readonly Tried[]
  /** Without them nothing changes. */
  readonly cleared: readonly Tried[]
  readonly untried: readonly Suspect[]
  readonly remedies: readonly Remedied[]
  /** All messages, as the run is, and without all that was suspected of being wrong; null: that was not run. */
  readonly all: Numbers
  readonly clean: Numbers | null
  readonly runs: number
  readonly packetHops: number
}

export class Inquiry {
  readonly #scenario: Scenario
  readonly #base: Sample
  readonly #run: RunTrials
  readonly #ideals = new Ideals()
  readonly #tags: ReadonlySet<string>
  readonly #known = new Map<string, Sample>()
  /** Gains by suspects and world; forgotten with each run, which may know shorter ideal times. */
  readonly #gains = new Map<string, Gain>()
  #runs = 0
  #packetHops = 0

  constructor(scenario: Scenario, base: Sample, run: RunTrials) {
    this.#scenario = scenario
    this.#base = base
    this.#run = run
    this.#ideals.add(base)
    this.#tags = new Set([...base.byKey.values()].map(({ tag }) => tag).concat([...base.jobs.keys()]))
  }

  /** @param suspects the likeliest first @param remediesFor what is tried against what is found */
  async answer(suspects: readonly Suspect[], remediesFor: RemediesFor = () => []): Promise<Answer> {
    const cured: Suspect[] = []
    const causes: Tried[] = []
    let clean: Sample | undefined
    for (const stage of STAGES) {
      const here = suspects.filter((one) => one.stage === stage)
      const world = this.#sampleOf(cured)
      if (here.length === 0 || world === undefined) continue
      if (stage !== 'odd' && !this.isSlow(world)) break
      const found = await this.#stage(here, cured)
      causes.push(...found)
      cured.push(...found.flatMap((cause) => cause.suspects))
      if (stage === 'odd') clean = this.#sampleOf(here)
    }
    const answer = this.#answered(await this.#ranked(causes), cured, suspects, clean)
    const against = causes.length > 0 ? answer.causes.slice(0, REMEDIED) : answer.verdict === 'load' ? [null] : []
    const remedies: Remedied[] = []
    for (const [row, cause] of against.entries()) {
      const [only = null, other] = cause?.suspects ?? []
      if (other !== undefined) continue
      const found = await this.#remedy(cause === null ? null : row, only, remediesFor(only).slice(0, REMEDIES_TRIED))
      if (found !== undefined) remedies.push(found)
    }
    return { ...answer, remedies, runs: this.#runs, packetHops: this.#packetHops }
  }

  /** The first that helps those who suffer. */
  async #remedy(
    cause: number | null,
    suspect: Suspect | null,
    candidates: readonly (readonly string[])[],
  ): Promise<Remedied | undefined> {
    const isIn = affectedIn(this.#base, this.#ideals, this.#tagsWithout(suspect === null ? [] : [suspect]))
    const numbersOf = (sample: Sample, isThem: boolean): Numbers =>
      numbersIn(sample, this.#ideals, (key) => isIn(key) === isThem)
    for (const sets of candidates) {
      const trial = trialOf(this.#scenario, sets)
      if (trial === null) continue
      const [sample] = await this.#run([trial])
      if (sample === undefined || sample === null) return undefined
      this.#count(sample)
      const [before, after] = [numbersOf(this.#base, true), numbersOf(sample, true)]
      const [othersBefore, othersAfter] = [numbersOf(this.#base, false), numbersOf(sample, false)]
      // The good of some is not bought with more harm of all.
      if (!helps(before, after) || isWorse(this.#numbers(this.#base), this.#numbers(sample))) continue
      return { cause, sets, digest: sample.digest, before, after, othersBefore, othersAfter }
    }
    return undefined
  }

  #count(sample: Sample): void {
    this.#runs++
    this.#packetHops += sample.packetHops
    this.#ideals.add(sample)
    this.#gains.clear()
  }

  /** Causes among these suspects, in the world without the cured ones; each is looked for in the world without those before. */
  async #stage(here: readonly Suspect[], before: readonly Suspect[]): Promise<Tried[]> {
    // Other workloads are victims of each other: all together they have none.
    const isLoad = here[0]!.stage === 'load'
    const alone = here.slice(0, SINGLES)
    const rest = here.slice(SINGLES)
    const without = (...set: readonly Suspect[]): Suspect[] => [...before, ...set]
    await this.#try([...(isLoad ? [] : [without(...here)]), without(alone[0]!)])
    const isPlain = !isLoad && this.#shareOf(here, before) < COUNTS
    // One cure may hide the good of another: the likeliest are tried alone in any case.
    await this.#try(alone.slice(1, isPlain ? PAIRED : SINGLES).map((one) => without(one)))
    if (!isPlain && rest.length > 0) {
      await this.#try([without(...rest)])
      if (isLoad || this.#shareOf(rest, before) >= COUNTS) await this.#try(rest.map((one) => without(one)))
    }
    const causes: Tried[] = []
    const cured = [...before]
    let left = [...here]
    for (let round = 0; round < ROUNDS; round++) {
      const candidates = left.map((one) => [one])
      let best: Suspect[] | undefined = this.#counting(candidates, cured)[0]
      if (best === undefined && round === 0 && !isPlain && !isLoad) best = await this.#pair(left, cured)
      const tried = best === undefined ? undefined : this.#tried(best, [...cured])
      if (best === undefined || tried === undefined) break
      causes.push(tried)
      cured.push(...best)
      left = left.filter((one) => !best.includes(one))
      if (left.length === 0 || !(left.some(isFault) || this.#mayGoOn(cured, here, before))) break
      // Those that gain most alone: what the first one hid is seen in the world without it.
      const next = left.toSorted((a, b) => this.#shareOf([b], before) - this.#shareOf([a], before)).slice(0, PAIRED)
      await this.#try(next.map((one) => [...cured, one]))
    }
    return causes
  }

  /** Whether the world without the causes is still worse than the one without all of these suspects, or not known to be as good. */
  #mayGoOn(cured: readonly Suspect[], here: readonly Suspect[], before: readonly Suspect[]): boolean {
    const world = this.#sampleOf(cured)
    const clean = this.#sampleOf([...before, ...here])
    if (world === undefined) return false
    return clean === undefined ? this.isSlow(world) : this.#gain(world, clean).share >= COUNTS
  }

  /** In the order of the stages, but for those that alone gain more than the ones before them. */
  async #ranked(causes: readonly Tried[]): Promise<Tried[]> {
    const order: Tried[] = []
    for (const cause of causes) {
      // Two tenants are each other's, and who moves away spares himself much; a device or setting comes before both.
      const isLast = cause.suspects.some(({ kind }) => kind === 'other-tenant' || kind === 'placement')
      // Traffic comes after what is wrong by a rule.
      const isLoad = cause.suspects[0]!.stage === 'load'
      const isBefore = ({ gain }: Tried): number =>
        order.findIndex((other) => other.gain.rank < NEARLY * gain.rank && !(isLoad && isWrong(other.suspects)))
      let [own, at] = [cause, isLast ? -1 : isBefore(cause)]
      if (at >= 0 && cause.beyond.length > 0) {
        // It was measured in another world than they were.
        await this.#try([cause.suspects])
        const alone = this.#tried(cause.suspects, [])
        at = alone === undefined || !counts(alone.gain, cause.suspects) ? -1 : isBefore(alone)
        if (at >= 0) own = alone!
      }
      if (at < 0) at = order.findIndex((other) => this.#isMadeBy(other, cause))
      order.splice(at < 0 ? order.length : at, 0, own)
    }
    return order
  }

  /** Whether a limit does harm only where another cause does, which does some without it. */
  #isMadeBy(limit: Tried, cause: Tried): boolean {
    if (limit.suspects[0]!.stage !== 'limit') return false
    const [beside, alone] = [this.#gainOf(limit.suspects, cause.suspects), this.#gainOf(cause.suspects, limit.suspects)]
    return (
      beside !== undefined && alone !== undefined && !counts(beside, limit.suspects) && counts(alone, cause.suspects)
    )
  }

  /** Whether messages are slow or do not end. */
  isSlow(sample: Sample = this.#base): boolean {
    const { tailSlowdown, unfinished } = this.#numbers(sample)
    return unfinished + sample.unposted > 0 || tailSlowdown >= SLOW || [...sample.jobs.values()].includes(Infinity)
  }

  /** Runs those sets of suspects that were not run. */
  async #try(sets: readonly (readonly Suspect[])[]): Promise<void> {
    const trials = sets.flatMap((suspects) => {
      if (suspects.length === 0 || this.#known.has(keyOf(suspects))) return []
      const trial = trialOf(this.#scenario, setsOf(this.#scenario, suspects))
      const moved = suspects.flatMap((one) => one.moved ?? [])
      return trial === null ? [] : [{ key: keyOf(suspects), moved, ...trial }]
    })
    if (trials.length === 0) return
    const samples = await this.#run(trials)
    trials.forEach(({ key, moved }, i) => {
      const own = samples[i] ?? null
      if (own === null) return
      const sample = moved.reduce(movedBack, own)
      this.#count(sample)
      this.#known.set(key, sample)
    })
  }

  #sampleOf(suspects: readonly Suspect[]): Sample | undefined {
    return suspects.length === 0 ? this.#base : this.#known.get(keyOf(suspects))
  }

  #gain(before: Sample, after: Sample, suspects: readonly Suspect[] = []): Gain {
    return gainOf(before, after, this.#ideals, this.#tagsWithout(suspects))
  }

  #tagsWithout(suspects: readonly Suspect[]): ReadonlySet<string> {
    const absent = new Set(
      suspects.flatMap(({ stage, subject: { workload } }) => (stage === 'load' ? (workload ?? []) : [])),
    )
    return new Set([...this.#tags].filter((tag) => !absent.has(tag)))
  }

  #gainOf(suspects: readonly Suspect[], beyond: readonly Suspect[]): Gain | undefined {
    const [before, after] = [this.#sampleOf(beyond), this.#sampleOf([...beyond, ...suspects])]
    if (before === undefined || after === undefined) return undefined
    const key = `${keyOf(beyond)}\n\n${keyOf(suspects)}`
    const gain = this.#gains.get(key) ?? this.#gain(before, after, [...beyond, ...suspects])
    this.#gains.set(key, gain)
    return gain
  }

  /**
   * The largest first. Workloads are each other's victims: first those that go to one host or come from few, then by the
   * messages that are faster without them.
   */
  #rankOf(suspects: readonly Suspect[], beyond: readonly Suspect[]): number {
    const gain = this.#gainOf(suspects, beyond)
    if (gain === undefined) return -Infinity
    const [{ stage, kind }] = suspects as readonly [Suspect]
    // Faster links between tiers come before a setting or a placement only if they gain clearly more.
    if (stage !== 'load') return kind === 'oversubscription' ? NEARLY * gain.rank : gain.rank
    return (kind === 'other-tenant' ? 0 : FOCUSED) + gain.faster - gain.slower
  }

  #shareOf(suspects: readonly Suspect[], beyond: readonly Suspect[]): number {
    return this.#gainOf(suspects, beyond)?.share ?? -Infinity
  }

  /** Those that count, the largest gain first. */
  #counting(sets: readonly (readonly Suspect[])[], beyond: readonly Suspect[]): Suspect[][] {
    return sets
      .filter((set) => {
        const gain = this.#gainOf(set, beyond)
        return gain !== undefined && counts(gain, set)
      })
      .map((set) => [...set])
      .toSorted((a, b) => this.#rankOf(b, beyond) - this.#rankOf(a, beyond))
  }

  /** Two that count only together. */
  async #pair(left: readonly Suspect[], cured: readonly Suspect[]): Promise<Suspect[] | undefined> {
    const best = left.toSorted((a, b) => this.#shareOf([b], cured) - this.#shareOf([a], cured)).slice(0, PAIRED)
    const pairs = best.flatMap((one, i) => best.slice(i + 1).map((other) => [one, other]))
    await this.#try(pairs.map((pair) => [...cured, ...pair]))
    return this.#counting(pairs, cured)[0]
  }

  #tried(suspects: readonly Suspect[], beyond: readonly Suspect[]): Tried | undefined {
    const [before, after] = [this.#sampleOf(beyond), this.#sampleOf([...beyond, ...suspects])]
    if (before === undefined || after === undefined) return undefined
    const all = [...beyond, ...suspects]
    const gain = this.#gain(before, after, all)
    const effect = effectOf(before, after, this.#ideals, this.#tagsWithout(all), gain)
    if (effect === null) return undefined
    return { suspects, sets: setsOf(this.#scenario, all), beyond, gain, digest: after.digest, ...effect }
  }

  #numbers(sample: Sample): Numbers {
    return numbersIn(sample, this.#ideals, () => true)
  }

  #answered(
    causes: readonly Tried[],
    cured: readonly Suspect[],
    suspects: readonly Suspect[],
    clean: Sample | undefined,
  ): Answer {
    const left = suspects.filter((one) => !cured.includes(one))
    // Each in the last world in which it was tried; what counts alone, in the one that was asked about.
    const worlds = [[], ...causes.map(({ beyond, suspects: own }) => [...beyond, ...own])].toReversed()
    const cleared = left.flatMap((one) => {
      const alone = this.#tried([one], [])
      if (alone !== undefined && counts(alone.gain, [one])) return [alone]
      return firstOf(worlds, (beyond) => this.#tried([one], beyond)) ?? []
    })
    const alone = new Set(cleared.flatMap((tried) => tried.suspects))
    const together = STAGES.flatMap((stage) => {
      const all = suspects.filter((one) => one.stage === stage)
      const others = all.filter((one) => !alone.has(one) && !cured.includes(one))
      const tried = others.length > 1 ? firstOf(worlds, (beyond) => this.#tried(all, beyond)) : undefined
      return tried === undefined || tried.gain.share >= COUNTS ? [] : [{ ...tried, suspects: others }]
    })
    for (const { suspects: own } of together) for (const one of own) alone.add(one)
    const isTenant = causes.every(({ suspects: of }) => of.every(({ kind }) => kind === 'other-tenant'))
    const untried = left.filter((one) => !alone.has(one))
    const isOpen = untried.some(({ stage }) => stage !== 'load')
    return {
      verdict: !isTenant ? 'causes' : !this.isSlow() ? 'calm' : isOpen ? 'unknown' : 'load',
      causes,
      cleared: [...cleared, ...together],
      remedies: [],
      untried,
      all: this.#numbers(this.#base),
      clean: clean === undefined ? null : this.#numbers(clean),
      runs: this.#runs,
      packetHops: this.#packetHops,
    }
  }
}

function firstOf<T, R>(list: readonly T[], of: (one: T) => R | undefined): R | undefined {
  for (const one of list) {
    const found = of(one)
    if (found !== undefined) return found
  }
  return undefined
}
