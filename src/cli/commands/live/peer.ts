/**
 * peer PROGRAM: stands in for one end of ibv_rc_pingpong, of a test of perftest or of rping, opposite the unmodified program,
 * with faults by a script.
 */
import type { Server } from 'node:net'
import { type Issue, InputError } from '../../../core/base/issue.ts'
import { VERSION } from '../../../core/base/version.ts'
import { DatagramLink, listenAt } from '../../../live/drivers/index.ts'
import {
  FaultLine,
  type FaultScript,
  FaultyParty,
  formatUnder,
  RPING_PORT,
  type StationOptions,
} from '../../../live/index.ts'
import { exactCount } from '../../../show/index.ts'
import { command } from '../../command.ts'
import type { Context } from '../../context.ts'
import { EXIT_BUG } from '../../failure.ts'
import { captureFor, type GrowingCapture } from './growing-capture.ts'
import { watchInterruption } from '../../interruption.ts'
import { addressText, FORMAT_ROCE } from '../../../core/wire/index.ts'
import {
  PEER_PROGRAMS,
  peerAliases,
  type PeerFlags,
  peerFlags,
  type PeerPlan,
  type PeerProgram,
  planOf,
  programName,
  tcpOf,
} from './peer-flags.ts'
import { type PeerRun, RpingRun, SessionRun } from './peer-run.ts'
import { failing, portIssue } from './ports.ts'
import { EXIT_UNUSED, firstActs, rulesJson, rulesText, scriptOf } from './rules.ts'
import { schemeNames } from './live-flags.ts'

export const peerCommand = command({
  brief: 'Be the other end of ibv_rc_pingpong, perftest or rping, with real RoCEv2 packets and faults',
  about: [
    'Stands in for one end of PROGRAM, opposite the unmodified program on a machine or guest with a RoCE device.',
    'Without --connect it is the server, as the programs are without a host; with --connect it is the client.',
    'Frames go through UDP datagrams on 127.0.0.1, one Ethernet frame each, as -netdev dgram of QEMU has them.',
    'Both ends must be given the same size, number of requests, queue pairs and MTU, as the programs themselves.',
    `PROGRAM: ${PEER_PROGRAMS.join(', ')}.`,
    '',
    'Exit code 0: the program ran to its end; 1: it did not; 2: bad input; 130: Ctrl-C. With --script, 0: every rule',
    'acted; 1: one never did. The language of scripts: docs/models/fault-scripts.md.',
    '',
    'Examples, two of these, in two shells:',
    '  rocelab peer rping --link 7001:7002 --ip 192.0.2.2',
    '  rocelab peer rping --link 7002:7001 --ip 192.0.2.1 --connect 192.0.2.2 -n 10',
    '  rocelab peer ib_read_bw --link 7001:7002 --ip 192.0.2.2',
    '  rocelab peer ib_read_bw --link 7002:7001 --ip 192.0.2.1 --connect 127.0.0.1',
    '',
    'Examples with a guest of QEMU whose RoCE interface has 192.0.2.1 and this network, and which reaches this host',
    'as 10.0.2.2 by -netdev user, with hostfwd=tcp:127.0.0.1:18600-:18515 for the way back:',
    '  -netdev dgram,id=r,local.type=inet,local.host=127.0.0.1,local.port=7002,',
    '          remote.type=inet,remote.host=127.0.0.1,remote.port=7001 -device virtio-net-pci,netdev=r',
    '  here: rocelab peer ibv_rc_pingpong --link 7001:7002 --ip 192.0.2.2 --script faults.yaml --capture all.pcapng',
    '  there: ibv_rc_pingpong -d rxe0 -g 1 10.0.2.2',
    '  here: rocelab peer ib_write_bw --link 7001:7002 --ip 192.0.2.2 --connect 127.0.0.1:18600 -n 1000 -s 65536',
    '  there, before it: ib_write_bw -d rxe0 -x 1 -F -n 1000 -s 65536',
    '  here: rocelab peer rping --link 7001:7002 --ip 192.0.2.2; there: rping -c -a 192.0.2.2 -C 10 -v',
  ],
  args: [{ brief: 'Program to stand in for', placeholder: 'PROGRAM', parse: programName }],
  flags: peerFlags,
  aliases: peerAliases,
  run: runPeer,
})

async function runPeer(this: Context, flags: PeerFlags, program: PeerProgram): Promise<void> {
  const { stderr, stdout } = this.process
  const say = (text: string): void => void (flags.json === true || stderr.write(`${text}\n`))
  const [format, wrongSchemes] = mistakesOf(
    () => formatUnder({ ...schemeNames(flags), mtuBytes: flags.mtu }),
    FORMAT_ROCE,
  )
  const [script, wrongRules] = mistakesOf(() => scriptOf(this.directory, flags.script, format), NO_FAULTS)
  const plan = planOf(flags, program, [...wrongSchemes, ...wrongRules])
  const { link, server } = await openPorts(flags, plan)
  const abort = new AbortController()
  const interruption = watchInterruption((text) => say(`rocelab: ${text}`))
  interruption.onRequest(() => abort.abort())
  const timer = flags.for === undefined ? undefined : setTimeout(() => abort.abort(), flags.for)
  let capture: GrowingCapture | undefined
  try {
    capture = captureFor(this.directory, flags, ['this end', 'other end'], format)
    if (capture !== undefined) capture.onFailure = () => abort.abort()
    const run = runOf(flags, plan, server)
    const announce = firstActs(script, say)
    const line = new FaultLine(
      script,
      (event) => {
        announce(event)
        capture?.add(event)
      },
      format,
    )
    line.onClose = (nowPs) => run.close(nowPs)
    const hasLine = capture !== undefined || script.rules.length > 0
    if (plan.role === 'server') say(`listening at ${listening(flags, plan)}`)
    await failing(() => run.run(hasLine ? new FaultyParty(run.endpoint, line) : run.endpoint, link, abort.signal))
    const text = flags.json === true ? jsonOf(plan, run, script, line) : textOf(this, plan, run, script, line)
    stdout.write(text)
    if (interruption.signal !== undefined) this.process.exitCode = interruption.exitCode
    else if (line.counts.some(({ acted }) => acted === 0)) this.process.exitCode = EXIT_UNUSED
    else if (script.rules.length === 0 && !run.isDone) this.process.exitCode = EXIT_BUG
  } finally {
    clearTimeout(timer)
    server?.close()
    await link.close()
    interruption.release()
    capture?.close()
  }
}

const NO_FAULTS: FaultScript = { seed: 0, rules: [], peer: undefined }

/** The value that is read, or its mistakes, to be reported with those of the options, and a value in its place. */
function mistakesOf<T>(read: () => T, otherwise: T): readonly [T, readonly Issue[]] {
  try {
    return [read(), []]
  } catch (error) {
    if (error instanceof InputError) return [otherwise, error.issues]
    throw error
  }
}

/** The link, and for servers the TCP port. */
async function openPorts(flags: PeerFlags, plan: PeerPlan): Promise<{ link: DatagramLink; server: Server | null }> {
  const [local, remote] = flags.link
  const tcp = tcpOf(flags.tcp)
  const needsServer = plan.program !== 'rping' && plan.role === 'server'
  const [link, server] = await Promise.allSettled([
    DatagramLink.open(local, remote),
    needsServer ? listenAt(tcp) : Promise.resolve(null),
  ])
  if (link.status === 'fulfilled' && server.status === 'fulfilled') return { link: link.value, server: server.value }
  if (link.status === 'fulfilled') await link.value.close()
  if (server.status === 'fulfilled') server.value?.close()
  const issues: Issue[] = []
  if (link.status === 'rejected') issues.push(portIssue('--link', `a free UDP port ${local}`, link.reason))
  if (server.status === 'rejected')
    issues.push(portIssue('--tcp', `a free port at ${tcp.host}:${tcp.port}`, server.reason))
  throw new InputError(issues)
}

function runOf(flags: PeerFlags, plan: PeerPlan, server: Server | null): PeerRun {
  const { ip } = flags
  const station: StationOptions = {
    mac: flags.mac ?? macFor(ip),
    ip4: ip.length === 4 ? ip : null,
    ip6: ip.length === 16 ? ip : null,
  }
  if (plan.program === 'rping') return new RpingRun(station, plan)
  return new SessionRun(station, plan, server === null ? { connect: tcpOf(flags.connect) } : { server })
}

function listening(flags: PeerFlags, plan: PeerPlan): string {
  if (plan.program === 'rping') return `port ${RPING_PORT} of ${addressText(plan.ip)}`
  const { host, port } = tcpOf(flags.tcp)
  return `${host}:${port}`
}

function macFor(ip: Uint8Array): number {
  const [high = 0, middle = 0, low = 0] = ip.subarray(-3)
  return 0x525401000000 + high * 2 ** 16 + middle * 2 ** 8 + low
}

function rowsOf({ pairs }: PeerRun) {
  return pairs.map(({ live, completions }) => ({
    qp: live.number,
    ...live.counts,
    retransmissions: live.retransmissions,
    timeouts: live.timeouts,
    ...completions,
  }))
}

function textOf(
  context: Context,
  { program, role }: PeerPlan,
  run: PeerRun,
  script: FaultScript,
  line: FaultLine,
): string {
  const { drops, station } = run.endpoint
  const lines = [`${program} as ${role}: ${run.outcome ?? 'ended before its end'}`, ...run.figures]
  for (const row of rowsOf(run)) {
    const { sends, receives } = row
    const done =
      sends === undefined ? '' : `; completions ${exactCount(sends)} of sends, ${exactCount(receives ?? 0)} of receives`
    lines.push(
      `queue pair ${row.qp}: ${exactCount(row.sent)} packets sent, ${exactCount(row.retransmissions)} of them again, ` +
        `${exactCount(row.received)} received; NAKs ${row.naksSent} sent, ${row.naksReceived} received; ` +
        `RNR NAKs ${row.rnrNaksSent}, ${row.rnrNaksReceived}; timeouts ${row.timeouts}${done}`,
    )
  }
  const dropped = Object.entries(drops).filter(([, count]) => count > 0)
  if (dropped.length > 0) lines.push(`packets dropped: ${dropped.map(([reason, n]) => `${reason} ${n}`).join(', ')}`)
  if (station.hasTwin) lines.push(`another station has the hardware address of this one: --mac gives it another`)
  const rules = script.rules.length === 0 ? '' : rulesText(script, line.counts, context)
  return `${lines.join('\n')}\n${rules}`
}

function jsonOf(plan: PeerPlan, run: PeerRun, script: FaultScript, line: FaultLine): string {
  const { program, role, iterations, sizeBytes, mtuBytes } = plan
  const { drops, station } = run.endpoint
  const object = {
    schemaVersion: 1,
    version: VERSION,
    program,
    role,
    ip: addressText(plan.ip),
    iterations,
    sizeBytes,
    mtuBytes,
    isDone: run.isDone,
    ...run.facts,
    pairs: rowsOf(run),
    drops,
    hasTwin: station.hasTwin,
    rules: rulesJson(script, line.counts),
  }
  return `${JSON.stringify(object)}\n`
}
