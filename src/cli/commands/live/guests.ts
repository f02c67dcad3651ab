/**
 * guests: runs a server and a client of the user on two Linux guests with soft RoCE, with faults by scripts between them.
 */
import path from 'node:path'
import { type Issue, InputError } from '../../../core/base/issue.ts'
import { VERSION } from '../../../core/base/version.ts'
import { GuestError, guestSystem, systemWith, type TrialEnd } from '../../../live/drivers/guests/index.ts'
import { command, type FlagsOf } from '../../command.ts'
import {
  defaultChoiceFlag,
  defaultFlag,
  givenFlag,
  requiredFlag,
  valueFlag,
  fileFlag,
  repeatedFlag,
} from '../../flags.ts'
import type { Context } from '../../context.ts'
import { EXIT_INPUT } from '../../failure.ts'
import { watchInterruption } from '../../interruption.ts'
import { anyText, fileText, parser } from '../../parsers.ts'
import {
  captureOf,
  EXPECTATIONS,
  type GuestRun,
  type LostRun,
  planOf,
  runOnGuests,
  type RunOptions,
  type RunPlan,
  runsJson,
  runsText,
} from './guest-runs.ts'
import { durationMs } from './live-flags.ts'

/** The exit code where a run did not go as expected. */
const EXIT_UNEXPECTED = 1

const shellLine = parser('a line of shell', (input) =>
  input.trim() !== '' && !/[\r\n]/.test(input) ? input : undefined,
)

const FLAGS = {
  server: requiredFlag('LINE', shellLine, 'Command of the server'),
  client: requiredFlag('LINE', shellLine, 'Command of the client'),
  file: repeatedFlag('FILE', fileText, 'Copy a file, or what is in a folder, into both guests'),
  script: repeatedFlag(
    'SCRIPT',
    fileText,
    'Faults: a file, a name of scenarios/faults, or none; with =success, =failure or =end for this run',
  ),
  expect: defaultChoiceFlag(
    EXPECTATIONS,
    'success',
    'success: both exit with 0; failure: both end, and one exits with another code; end: both end',
  ),
  ready: valueFlag('TEXT', anyText, 'The client begins when the server prints TEXT, and not when it listens'),
  daemon: givenFlag('The server does not end by itself: it is ended after the client'),
  for: defaultFlag('TIME', durationMs, '60s', 'Programs that have not ended by then are killed'),
  capture: fileFlag('FILE', 'Write all frames as pcapng; of several runs, FILE-SCRIPT for each'),
  cache: fileFlag('DIR', 'Folder of built guests [default = rocelab/guests in XDG_CACHE_HOME or ~/.cache]'),
  json: givenFlag('Print one JSON object with all runs, and not what the programs print'),
}
type GuestsFlags = FlagsOf<typeof FLAGS>

export const guestsCommand = command({
  brief: 'Run an RDMA server and client on two Linux guests, without a NIC, with faults between them',
  about: [
    'Boots two guests with soft RoCE under QEMU, joined by a line, copies files into both, starts --server on one and,',
    'once that listens, --client on the other: for tests of programs that speak RDMA, in CI or on a laptop. The server',
    'is 192.0.2.1, 2001:db8::1 and "server", the client 192.0.2.2, 2001:db8::2 and "client"; the device is rxe0, GID',
    'index 1 is IPv4. Commands are lines of shell; they begin in the folder of the copied files, which is on the PATH.',
    'Shared libraries that a program needs here are copied with it. ibv_rc_pingpong, rping and perftest are there.',
    'Each --script is a run with guests of its own. Frames of the client go "out", those of the server "in".',
    'The first use downloads and builds the guests from packages of Debian or Ubuntu: no root is needed.',
    '',
    'Exit code 0: all programs ended as expected and every rule acted; 1: not so; 2: bad input, something that guests',
    'need is missing here, or guests did not boot, twice; 130: Ctrl-C. The guide: docs/guides/ci-without-a-nic.md.',
    '',
    'Examples:',
    "  rocelab guests --server 'ibv_rc_pingpong -g 1' --client 'ibv_rc_pingpong -g 1 server'",
    "  rocelab guests --file build/app --server 'app -l' --client 'app server' --script none --script last-ack-lost",
    "  rocelab guests --file bin --server 'app -l' --client 'app server' --script peer-vanishes=failure --for 30s",
  ],
  flags: FLAGS,
  run: runGuests,
})

async function runGuests(this: Context, flags: GuestsFlags): Promise<void> {
  const { stderr, stdout } = this.process
  const say = (text: string): void => stderr.write(`rocelab: ${text}\n`)
  const plans = plansOf(this.directory, flags)
  const abort = new AbortController()
  const interruption = watchInterruption(say)
  interruption.onRequest(() => abort.abort())
  const runs: GuestRun[] = []
  const lost: LostRun[] = []
  try {
    await runAll(this, flags, plans, { runs, lost }, abort.signal, say)
  } catch (error) {
    if (interruption.signal === undefined) throw error
  } finally {
    interruption.release()
  }
  if (flags.json === true)
    stdout.write(`${JSON.stringify({ schemaVersion: 1, version: VERSION, runs: runsJson(runs), lost })}\n`)
  else if (runs.length + lost.length > 0) stdout.write(runsText(runs, lost, this))
  if (interruption.signal !== undefined) this.process.exitCode = interruption.exitCode
  else if (runs.some(({ reasons }) => reasons.length > 0)) this.process.exitCode = EXIT_UNEXPECTED
  else if (lost.length > 0) this.process.exitCode = EXIT_INPUT
}

/** @throws InputError with the mistakes of all scripts */
function plansOf(directory: string, { script = ['none'], expect }: GuestsFlags): RunPlan[] {
  const issues: Issue[] = []
  const plans = script.flatMap((word) => {
    try {
      return [planOf(directory, word, expect)]
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      issues.push(...error.issues)
      return []
    }
  })
  if (issues.length > 0) throw new InputError(issues)
  return plans
}

async function runAll(
  context: Context,
  flags: GuestsFlags,
  plans: readonly RunPlan[],
  { runs, lost }: { readonly runs: GuestRun[]; readonly lost: LostRun[] },
  signal: AbortSignal,
  say: (text: string) => void,
): Promise<void> {
  const { directory } = context
  const { server, client, ready, daemon: isDaemon = false, for: limitMs, file = [], capture, cache } = flags
  const folder = cache === undefined ? {} : { cache: path.resolve(directory, cache) }
  const built = await guestSystem({ ...folder, signal, say })
  const system = await systemWith(
    built,
    file.map((each) => path.resolve(directory, each)),
    signal,
  )
  try {
    for (const plan of plans) {
      say(`${plan.name}: booting`)
      const lines = flags.json === true ? null : new PrefixedLines((text) => context.process.stdout.write(text))
      const options: RunOptions = {
        system,
        server,
        client,
        ready,
        isDaemon,
        limitMs,
        signal,
        capture: captureOf(capture, plan, plans.length === 1),
        onOutput: (end, text) => lines?.add(end, text),
        onReboot: ({ message }) => say(`${plan.name}: a guest did not boot, and is booted again: ${message}`),
      }
      try {
        const run = await runOnGuests(directory, plan, options)
        if (!run.wasReady) say(`${plan.name}: the server was not ready, and the client began all the same`)
        runs.push(run)
      } catch (error) {
        // A guest that ended is a failure of the machine, and none of the programs.
        if (!(error instanceof GuestError)) throw error
        say(`${plan.name}: not run: ${error.message}`)
        lost.push({ name: plan.name, message: error.message })
      } finally {
        lines?.end()
      }
    }
  } finally {
    system.remove()
  }
}

/** Shows what the programs print, line by line, each with the name of its end. */
class PrefixedLines {
  readonly #write: (text: string) => void
  readonly #held = { client: '', server: '' }

  constructor(write: (text: string) => void) {
    this.#write = write
  }

  add(end: TrialEnd, text: string): void {
    const lines = (this.#held[end] + text).split('\n')
    this.#held[end] = lines.pop()!
    for (const line of lines) this.#write(`${end} | ${line}\n`)
  }

  /** Lines that have no end of their own. */
  end(): void {
    for (const end of ['server', 'client'] as const) if (this.#held[end] !== '') this.add(end, '\n')
  }
}
