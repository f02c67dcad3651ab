/**
 * perf OPERATION HOST: times RDMA operations in real RoCEv2 packets, between two ends of rocelab.
 */
import { InputError, inputError } from '../../../core/base/issue.ts'
import {
  type EndedTest,
  type Floor,
  measureFloor,
  type PerfLimits,
  runPerf,
  servePerf,
} from '../../../live/drivers/index.ts'
import {
  type FaultScript,
  formatUnder,
  PERF_DEPTH_MAX,
  PERF_PAIRS_MAX,
  type PerfOffer,
  type ProgramName,
  PROGRAMS,
  readOffer,
} from '../../../live/index.ts'
import { addressText } from '../../../core/wire/index.ts'
import { command, type FlagsOf } from '../../command.ts'
import { defaultFlag, fileFlag, givenFlag, valueFlag } from '../../flags.ts'
import type { Context } from '../../context.ts'
import { EXIT_BUG } from '../../failure.ts'
import { watchInterruption } from '../../interruption.ts'
import { wholeNumber, wordOf } from '../../parsers.ts'
import {
  durationMs,
  type HostAddress,
  hostAddress,
  ipAddress,
  mtuOf,
  schemeFlags,
  schemeNames,
  sizeOf,
} from './live-flags.ts'
import { floorText, perfJson, perfText } from './perf-text.ts'
import { failing, LIVE_PORT, openEnd } from './ports.ts'
import { EXIT_UNUSED, lineScriptOf, rulesJson, rulesText } from './rules.ts'

const OPERATIONS = ['write', 'read', 'send', 'atomic'] as const
type PerfOperation = (typeof OPERATIONS)[number]
/** Responses of go-back-N have no window: more than these outstanding are too much for the buffer of a socket. */
const READ_BYTES = 128 * 1024

const FLAGS = {
  bw: givenFlag('Bandwidth: many requests outstanding'),
  lat: givenFlag('Latency: one request after the other'),
  listen: givenFlag('Be the server: of any test, one at a time, until Ctrl-C'),
  ip: defaultFlag('ADDRESS', ipAddress, '::1', 'Own address, where the server listens'),
  port: defaultFlag('PORT', wholeNumber(1, 65_535), `${LIVE_PORT}`, 'Port of TCP and UDP at the server'),
  iterations: defaultFlag('N', wholeNumber(1, 1e8), '1000', 'Requests'),
  size: valueFlag('SIZE', sizeOf, 'Bytes of a request [default = 65536; with --lat 2]; atomics have 8'),
  pairs: defaultFlag('N', wholeNumber(1, PERF_PAIRS_MAX), '1', 'Queue pairs'),
  depth: valueFlag(
    'N',
    wholeNumber(1, PERF_DEPTH_MAX),
    'Requests outstanding on each queue pair [default = 128, fewer for read; with --lat 1]',
  ),
  mtu: defaultFlag('N', mtuOf, '1024', 'Path MTU'),
  ...schemeFlags,
  script: fileFlag(
    'FILE',
    'Faults on frames from here (out) and to here (in), anew for each test; - reads standard input',
  ),
  silence: defaultFlag('TIME', durationMs, '30s', 'End a test if nothing comes from the other end for so long'),
  json: givenFlag('Print one JSON object for each test instead of text'),
}
type PerfFlags = FlagsOf<typeof FLAGS>

export const perfCommand = command({
  brief: 'Time RDMA operations with real RoCEv2 packets between two ends of rocelab',
  about: [
    'OPERATION is write, read, send or atomic; HOST runs "rocelab perf --listen". Packets are UDP datagrams, the test is',
    'agreed on over TCP; both have port 4791 at the server, or --port. Columns are those of perftest, MB are 2^20 bytes.',
    'It is a tool for correctness and latency, not for line rate: the floor that is measured first is that of UDP itself.',
    'Opposite perftest, soft RoCE of Linux and NICs: rocelab peer ib_write_bw and its relatives.',
    '',
    'Exit code 0: the test ran to its end; 1: it did not; 2: bad input; 130: Ctrl-C. With --script a client exits with',
    '0 if every rule acted, with 1 if one never did. The language of scripts: docs/models/fault-scripts.md.',
    '',
    'Examples, the server first:',
    '  rocelab perf --listen',
    '  rocelab perf write --bw ::1',
    '  rocelab perf read --lat ::1 -n 5000 -s 64',
    '  rocelab perf send --bw ::1 --congestion dcqcn --rate 1Gbps --recovery irn',
  ],
  args: [
    { brief: OPERATIONS.join(', '), placeholder: 'OPERATION', parse: wordOf(OPERATIONS), optional: true },
    { brief: 'Server: HOST or HOST:PORT', placeholder: 'HOST', parse: hostAddress, optional: true },
  ],
  flags: FLAGS,
  aliases: { n: 'iterations', s: 'size', q: 'pairs', t: 'depth', m: 'mtu' },
  run: runPerfCommand,
})

async function runPerfCommand(
  this: Context,
  flags: PerfFlags,
  operation?: PerfOperation,
  host?: HostAddress,
): Promise<void> {
  const isServer = flags.listen === true
  if (isServer && operation !== undefined)
    throw inputError('OPERATION', 'none with --listen', `"${operation}"`, 'the client says what is tested')
  if (!isServer && host === undefined) throw inputError('', 'OPERATION and HOST, or --listen', 'no HOST')
  const offer = isServer ? null : offerOf(flags, operation)
  const script = lineScriptOf(this.directory, flags.script, offer === null ? undefined : formatUnder(offer))
  const limits = { silenceMs: flags.silence, script }
  const { stdout, stderr } = this.process
  const say = (text: string): void => void (flags.json === true || stderr.write(`${text}\n`))
  const abort = new AbortController()
  const interruption = watchInterruption((text) => say(`rocelab: ${text}`))
  interruption.onRequest(() => abort.abort())
  try {
    const floor = await failing(measureFloor)
    say(floorText(floor))
    const print = (test: EndedTest): void => {
      stdout.write(textOf(this, flags, test, floor, script))
    }
    if (offer === null) {
      await serve(flags, limits, abort.signal, say, print)
      return
    }
    const to = { host: host!.host, port: host!.port ?? flags.port }
    const test = await failing(() => runPerf(offer, to, abort.signal, limits))
    print(test)
    if (test.line.counts.some(({ acted }) => acted === 0)) this.process.exitCode = EXIT_UNUSED
    else if (script.rules.length === 0 && !test.session.isDone) this.process.exitCode = EXIT_BUG
  } finally {
    interruption.release()
    if (interruption.signal !== undefined) this.process.exitCode = interruption.exitCode
  }
}

async function serve(
  { ip, port }: PerfFlags,
  limits: PerfLimits,
  signal: AbortSignal,
  say: (text: string) => void,
  print: (test: EndedTest) => void,
): Promise<void> {
  const { link, server } = await openEnd(ip, port)
  const stop = servePerf(link, server, print, limits)
  say(`listening at ${addressText(ip)}, port ${port} of TCP and UDP`)
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve())
  })
  stop()
  await link.close()
}

function textOf(context: Context, flags: PerfFlags, test: EndedTest, floor: Floor, script: FaultScript): string {
  const { counts } = test.line
  if (flags.json === true) return `${JSON.stringify({ ...perfJson(test, floor), rules: rulesJson(script, counts) })}\n`
  return perfText(test) + (counts.length === 0 ? '' : rulesText(script, counts, context))
}

/** @throws InputError for values that do not go together */
function offerOf(flags: PerfFlags, operation: PerfOperation | undefined): PerfOffer {
  if (operation === undefined) throw inputError('OPERATION', OPERATIONS.join(', '), 'none')
  if ((flags.bw === true) === (flags.lat === true))
    throw inputError('', 'either --bw or --lat', flags.bw === true ? 'both' : 'neither')
  const kind = flags.bw === true ? 'bw' : 'lat'
  const program: ProgramName = `ib_${operation}_${kind}`
  const usual = PROGRAMS[program]
  const { pairs, iterations, mtu: mtuBytes } = flags
  const sizeBytes = operation === 'atomic' ? 8 : (flags.size ?? usual.sizeBytes)
  const most = operation === 'read' ? Math.max(1, Math.floor(READ_BYTES / (sizeBytes * pairs))) : usual.depth
  const depth = flags.depth ?? Math.min(usual.depth, most)
  const offer = { program, pairs, iterations, sizeBytes, depth, mtuBytes, ...schemeNames(flags) }
  const issues = [
    ...(kind === 'lat' && pairs > 1 ? inputError('--pairs', '1 with --lat', `${pairs}`).issues : []),
    ...(kind === 'lat' && depth > 1 ? inputError('--depth', '1 with --lat', `${depth}`).issues : []),
  ]
  if (issues.length > 0) throw new InputError(issues)
  formatUnder(offer)
  if (readOffer({ ...offer }) === null)
    throw inputError('--size', 'at most 1GiB of memory for all queue pairs, at both ends', `${sizeBytes} on ${pairs}`)
  return offer
}
