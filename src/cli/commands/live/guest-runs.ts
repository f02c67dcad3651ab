/**
 * Runs of a server and a client on two guests: one for each fault script, each on guests of its own. Whether a run went as
 * expected is decided here, as data; words come last.
 */
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { inputError } from '../../../core/base/issue.ts'
import { Decoder } from '../../../live/decode/index.ts'
import { type Finding, findingJson, findingSentence } from '../../../core/findings/index.ts'
import {
  type GuestError,
  GuestPair,
  type GuestSystem,
  type ProgramResult,
  runTrial,
  type TrialEnd,
} from '../../../live/drivers/guests/index.ts'
import { type FaultEvent, FaultLine, type FaultScript, type RuleCount } from '../../../live/index.ts'
import { humanDuration, textTable } from '../../../show/index.ts'
import type { Context } from '../../context.ts'
import { packageRoot } from '../../package-root.ts'
import { GrowingCapture } from './growing-capture.ts'
import { lineScriptOf, rulesJson } from './rules.ts'

/** How the programs are to end: both with 0; both by themselves and one of them with another code; both by themselves. */
export const EXPECTATIONS = ['success', 'failure', 'end'] as const
export type Expectation = (typeof EXPECTATIONS)[number]

/** The name of the script without rules. */
const NO_FAULTS = 'none'
const SCRIPTS = path.join(packageRoot, 'scenarios', 'faults')
const ENDS = ['client', 'server'] as const
/** Signals that end a program by its own mistake or from outside have codes above 128; rping ends with 255. */
const SIGNALS = { from: 129, to: 159 }

export interface RunPlan {
  readonly name: string
  readonly script: FaultScript
  readonly expect: Expectation
}

/** Why a run did not go as expected. */
type Reason =
  | { readonly kind: 'killed' | 'crashed' | 'failed'; readonly end: TrialEnd }
  | { readonly kind: 'no-failure' }
  | { readonly kind: 'never-acted'; readonly rule: number }

export interface GuestRun extends RunPlan {
  readonly client: ProgramResult
  readonly server: ProgramResult
  readonly wasReady: boolean
  readonly durationMs: number
  readonly counts: readonly RuleCount[]
  /** The gravest of its packets, as `decode` finds it in the capture; null: none. */
  readonly finding: Finding | null
  /** None: it went as expected. */
  readonly reasons: readonly Reason[]
}

/** A run that did not come to its end, as its guests did not boot or ended by themselves. */
export interface LostRun {
  readonly name: string
  readonly message: string
}

export interface RunOptions {
  readonly system: GuestSystem
  readonly server: string
  readonly client: string
  readonly ready: string | undefined
  readonly isDaemon: boolean
  readonly limitMs: number
  readonly capture: string | undefined
  readonly signal: AbortSignal
  readonly onOutput: (end: TrialEnd, text: string) => void
  readonly onReboot: (error: GuestError) => void
}

/**
 * A plan of "SCRIPT" or "SCRIPT=EXPECTATION": a file, the name of a script that comes with rocelab, or "none".
 * @throws InputError
 */
export function planOf(directory: string, word: string, expected: Expectation): RunPlan {
  const ending = EXPECTATIONS.find((each) => word.endsWith(`=${each}`))
  const script = ending === undefined ? word : word.slice(0, -ending.length - 1)
  const expect = ending ?? expected
  const name = path.basename(script).replace(/\.ya?ml$/, '')
  if (script === NO_FAULTS) return { name, script: lineScriptOf(directory, undefined), expect }
  const own = path.resolve(directory, script)
  const known = path.join(SCRIPTS, `${script}.yaml`)
  const isKnown = /^[\w-]+$/.test(script) && !existsSync(own)
  if (isKnown && !existsSync(known)) {
    const names = readdirSync(SCRIPTS).map((file) => path.basename(file, '.yaml'))
    throw inputError('--script', `a file, or one of ${NO_FAULTS}, ${names.join(', ')}`, JSON.stringify(script))
  }
  return { name, script: lineScriptOf(directory, isKnown ? known : script), expect }
}

/** One run on guests that are booted for it. Rejects with the signal's reason where that ends it. */
export async function runOnGuests(directory: string, plan: RunPlan, options: RunOptions): Promise<GuestRun> {
  const { system, server, client, ready, isDaemon, limitMs, signal, onOutput, onReboot } = options
  const file = options.capture
  const capture = file === undefined ? undefined : new GrowingCapture(directory, file, plan.name, ENDS)
  const packets = new RunPackets()
  const line = new FaultLine(plan.script, (event) => {
    capture?.add(event)
    packets.add(event)
  })
  let pair: GuestPair | undefined
  try {
    pair = await GuestPair.start({ system, line, signal, onReboot })
    const programs = { server, client, isDaemon, limitMs, onOutput }
    const result = await runTrial(pair, ready === undefined ? programs : { ...programs, ready })
    const counts = line.counts.map((count) => ({ ...count }))
    return { ...plan, ...result, counts, finding: packets.gravest(), reasons: reasonsOf(plan, result, counts) }
  } finally {
    await pair?.stop()
    capture?.close()
  }
}

/** Packets of a run, decoded as they pass. */
class RunPackets {
  readonly #decoder = new Decoder()
  #startPs: number | null = null

  add({ timePs, direction, frame }: FaultEvent): void {
    this.#startPs ??= timePs
    this.#decoder.add({
      port: direction === 'out' ? 0 : 1,
      link: 'ethernet',
      timePs: timePs - this.#startPs,
      sizeBytes: frame.length,
      bytes: frame,
      hasCrcError: false,
      comment: '',
    })
  }

  gravest(): Finding | null {
    const facts = { format: 'pcapng', interfaces: ENDS, startNs: null, recordCount: 0, unreadable: new Map() } as const
    return this.#decoder.end({ ...facts, lostByCapture: null, damage: null }).findings[0] ?? null
  }
}

function reasonsOf(
  { expect }: RunPlan,
  ends: Readonly<Record<TrialEnd, ProgramResult>>,
  counts: readonly RuleCount[],
): Reason[] {
  const reasons: Reason[] = []
  const codes = ENDS.map((end) => ends[end].code)
  const isSilent = codes.includes(0) && codes.every((code) => code === 0 || code === null)
  if (expect === 'failure' && isSilent) reasons.push({ kind: 'no-failure' })
  for (const end of ENDS) {
    const { code } = ends[end]
    if (code === null) reasons.push({ kind: 'killed', end })
    else if (isSignal(code)) reasons.push({ kind: 'crashed', end })
    else if (code !== 0 && expect === 'success') reasons.push({ kind: 'failed', end })
  }
  counts.forEach(({ acted }, rule) => {
    if (acted === 0) reasons.push({ kind: 'never-acted', rule })
  })
  return reasons
}

function isSignal(code: number): boolean {
  return code >= SIGNALS.from && code <= SIGNALS.to
}

/** The capture of a run: each of several has its own. */
export function captureOf(file: string | undefined, { name }: RunPlan, isOne: boolean): string | undefined {
  if (file === undefined || isOne) return file
  const { dir, name: stem, ext } = path.parse(file)
  return path.join(dir, `${stem}-${name}${ext}`)
}

/** @param lost runs that have no result */
export function runsText(runs: readonly GuestRun[], lost: readonly LostRun[], { text }: Context): string {
  const rows = runs.map((run) => [
    run.name,
    codeText(run.client.code),
    codeText(run.server.code),
    run.counts.length === 0 ? '-' : run.counts.map(({ acted }) => acted).join(', '),
    humanDuration(Math.round(run.durationMs) * 1e9),
    run.reasons.length === 0 ? 'as expected' : run.reasons.map(reasonText).join(', '),
    run.finding === null ? '-' : `${run.finding.severity}: ${findingSentence(run.finding)}`,
  ])
  for (const { name } of lost) rows.push([name, '-', '-', '-', '-', 'not run: the guests did not last', '-'])
  const heads = ['script', 'client', 'server', 'rules acted', 'time', '', 'gravest finding in its packets'].map(
    (head) => ({ head }),
  )
  return textTable(heads, rows, text)
}

function codeText(code: number | null): string {
  if (code === null) return 'killed'
  return isSignal(code) ? `signal ${code - SIGNALS.from + 1}` : `exit ${code}${code === 127 ? ', not found' : ''}`
}

function reasonText(reason: Reason): string {
  if (reason.kind === 'no-failure') return 'no program reports a failure'
  if (reason.kind === 'never-acted') return `rule ${reason.rule + 1} never acted`
  return `the ${reason.end} ${{ killed: 'did not end', crashed: 'crashed', failed: 'failed' }[reason.kind]}`
}

export function runsJson(runs: readonly GuestRun[]): object[] {
  return runs.map(({ script, counts, reasons, durationMs, finding, ...run }) => ({
    ...run,
    finding: finding === null ? null : findingJson(finding),
    durationMs: Math.round(durationMs),
    seed: script.seed,
    rules: rulesJson(script, counts),
    isExpected: reasons.length === 0,
    reasons,
  }))
}
