/**
 * ping HOST...: RDMA Pingmesh with real RoCEv2 packets between ends of rocelab; its log is read by `rocelab pingmesh`.
 */
import { closeSync, openSync, writeSync } from 'node:fs'
import { lookup } from 'node:dns/promises'
import { hostname, networkInterfaces } from 'node:os'
import path from 'node:path'
import { inputError } from '../../../core/base/issue.ts'
import { VERSION } from '../../../core/base/version.ts'
import { localAddressFor, measureFloor, PingEnd, readAddress, respondOn, UdpLink } from '../../../live/drivers/index.ts'
import {
  LOG_HEAD,
  logRow,
  type MeshHost,
  type PingFigures,
  type PingRoute,
  PingTally,
  type Probe,
  readMesh,
  routeBetween,
} from '../../../live/index.ts'
import { exactCount, right, textTable } from '../../../show/index.ts'
import { addressText } from '../../../core/wire/index.ts'
import { command, type FlagsOf } from '../../command.ts'
import { defaultFlag, fileFlag, givenFlag, valueFlag } from '../../flags.ts'
import type { Context } from '../../context.ts'
import { EXIT_BUG, EXIT_INPUT, Failure } from '../../failure.ts'
import { writeFailure } from '../../files/files.ts'
import { readText } from '../../files/input-file.ts'
import { watchInterruption } from '../../interruption.ts'
import { quantity, wholeNumber } from '../../parsers.ts'
import { type HostAddress, hostAddress, ipAddress } from './live-flags.ts'
import { floorText } from './perf-text.ts'
import { failing, LIVE_PORT, openEnd } from './ports.ts'

/** Picoseconds, of 1 ms and more: timers of Node are not finer. */
const timeOf = quantity('duration', 1e9, 3.6e15, 'a duration from 1ms to 1h, such as 500ms')

const FLAGS = {
  listen: givenFlag('Answer probes until Ctrl-C'),
  ip: defaultFlag('ADDRESS', ipAddress, '::1', 'Own address to listen at'),
  port: defaultFlag('PORT', wholeNumber(1, 65_535), `${LIVE_PORT}`, 'Port of TCP and UDP where responders listen'),
  mesh: fileFlag('FILE', 'Probe all pairs of the hosts in FILE'),
  interval: defaultFlag('TIME', timeOf, '1s', 'Time between probes of a path'),
  timeout: defaultFlag('TIME', timeOf, '500ms', 'When a probe is lost'),
  count: valueFlag('N', wholeNumber(1, 1e9), 'Probes of each path [default = until Ctrl-C]'),
  sourcePorts: defaultFlag('N', wholeNumber(1, 64), '1', 'Paths to each host, each with a UDP source port of its own'),
  log: fileFlag('FILE', 'Write a row for each probe as CSV, for rocelab pingmesh'),
  json: givenFlag('Print one JSON object instead of text'),
}
type PingFlags = FlagsOf<typeof FLAGS>

export const pingCommand = command({
  brief: 'Probe hosts with real RoCEv2 packets (RDMA Pingmesh), and write the log that pingmesh reads',
  about: [
    'Each HOST runs "rocelab ping --listen". In each interval 64 bytes are written into its memory, on a queue pair for each',
    'source port. A probe that is not acknowledged in time is lost; its queue pair is made anew. Runs until Ctrl-C, or for',
    'a number of probes, then prints loss, p50 and p99 for each pair of hosts. Packets are UDP datagrams that NICs do not',
    'answer; queue pairs are agreed on over TCP; both have port 4791, or --port.',
    'With --mesh, FILE has a line "NAME ADDRESS [TOR]" for each host and is the same on all: a process answers for and',
    'probes from each line whose address its machine has.',
    '',
    'Exit code 0: no probe was lost; 1: some were; 2: bad input.',
    '',
    'Examples, the responder first:',
    '  rocelab ping --listen',
    '  rocelab ping ::1 --count 10',
    '  rocelab ping ::1 --interval 10ms --source-ports 4 --count 500 --log today.csv',
    '  rocelab ping --mesh hosts.txt --log today.csv',
    '  rocelab pingmesh today.csv',
  ],
  manyArgs: { brief: 'Host to probe: HOST, HOST:PORT or [IPV6]:PORT', placeholder: 'HOST', parse: hostAddress },
  flags: FLAGS,
  run: runPing,
})

interface Target {
  readonly route: PingRoute
  readonly to: HostAddress
  /** null: the one that the route has. */
  readonly from: Uint8Array | null
}

interface Plan {
  readonly targets: readonly Target[]
  readonly responders: readonly { readonly ip: Uint8Array; readonly port: number }[]
}

async function runPing(this: Context, flags: PingFlags, ...hosts: HostAddress[]): Promise<void> {
  const { stdout, stderr } = this.process
  const say = (text: string): void => void (flags.json === true || stderr.write(`${text}\n`))
  const { targets, responders } = planOf(this.directory, flags, hosts)
  const abort = new AbortController()
  const interruption = watchInterruption((text) => say(`rocelab: ${text}`))
  interruption.onRequest(() => abort.abort())
  const stopped = new Promise<void>((resolve) => abort.signal.addEventListener('abort', () => resolve()))
  const log = flags.log === undefined ? null : openLog(this.directory, flags.log)
  const links: UdpLink[] = []
  const closings: (() => void)[] = []
  const tallies = targets.map(({ route }) => new PingTally(route))
  try {
    say(floorText(await failing(measureFloor)))
    for (const { ip, port } of responders) {
      const { link, server } = await openEnd(ip, port)
      links.push(link)
      closings.push(respondOn(link, server))
      say(`listening at ${addressText(ip)}, port ${port} of TCP and UDP`)
    }
    let left = targets.length
    for (const [at, { route, to, from }] of targets.entries()) {
      const ip = to.address ?? (await addressOf(to.host))
      const ports = Array<number>(flags.sourcePorts).fill(0)
      const link = await failing(async () => UdpLink.open(from ?? (await localAddressFor(ip)), ports))
      links.push(link)
      const startUs = Date.now() * 1000
      const onProbe = (probe: Probe): void => {
        tallies[at]!.add(probe)
        if (log !== null) writeSync(log, logRow(route, probe, startUs))
        // A mesh has too many probes to be read one by one.
        if (flags.mesh === undefined || probe.status === 'retry-exceeded') say(lineOf(route, probe))
      }
      const onDone = (): void => {
        if (--left === 0) abort.abort()
      }
      const plan = { intervalPs: flags.interval, timeoutPs: flags.timeout, count: flags.count ?? Infinity, onProbe }
      const end = new PingEnd(link, { ip, port: to.port ?? flags.port }, plan, onDone)
      closings.unshift(() => end.stop())
    }
    await stopped
  } finally {
    closings.forEach((close) => close())
    await Promise.all(links.map((link) => link.close()))
    if (log !== null) closeSync(log)
    interruption.release()
  }
  if (targets.length === 0) return
  const figures = tallies.map((tally) => tally.figures)
  stdout.write(flags.json === true ? `${JSON.stringify(jsonOf(figures))}\n` : tableOf(figures, this))
  if (figures.some(({ lost, sent }) => lost > 0 || sent === 0)) this.process.exitCode = EXIT_BUG
}

/** @throws InputError for what does not go together */
function planOf(directory: string, { listen, mesh: file, ip, port }: PingFlags, hosts: readonly HostAddress[]): Plan {
  const kinds = [listen === true, file !== undefined, hosts.length > 0].filter((given) => given).length
  if (kinds !== 1) throw inputError('', 'one of HOST..., --mesh FILE and --listen', `${kinds} of them`)
  if (listen === true) return { targets: [], responders: [{ ip, port }] }
  if (file !== undefined) {
    const mesh = readMesh(readText(directory, file, 'a list of hosts'))
    if (typeof mesh !== 'number') return meshPlan(file, mesh, port)
    throw inputError(`${file}:${mesh}`, 'NAME ADDRESS [TOR], each name once', 'something else')
  }
  const source = hostname()
  const routeTo = (to: HostAddress): PingRoute => {
    const destination = to.port === null ? to.host : `${to.host} port ${to.port}`
    return { source, destination, scope: 'fabric' }
  }
  return { responders: [], targets: hosts.map((to) => ({ route: routeTo(to), to, from: null })) }
}

function meshPlan(file: string, mesh: readonly MeshHost[], usualPort: number): Plan {
  const listed = Object.values(networkInterfaces()).flatMap((list = []) => list)
  const own = new Set(listed.map(({ address }) => readAddress(address)?.join()))
  const hosts = mesh.map((host) => ({ host, at: addressIn(file, host) }))
  const mine = hosts.flatMap(({ host, at }) => {
    const ip = at.address
    return ip !== null && own.has(ip.join()) ? [{ host, ip, port: at.port ?? usualPort }] : []
  })
  if (mine.length === 0 || mesh.length < 2)
    throw inputError(
      file,
      'two hosts or more, one of which is this machine',
      `${mesh.length}, ${mine.length} of them this`,
    )
  const targets = mine.flatMap(({ host, ip }) =>
    hosts
      .filter((other) => other.host !== host)
      .map((other) => ({ route: routeBetween(host, other.host), to: other.at, from: ip })),
  )
  return { responders: mine, targets }
}

function addressIn(file: string, { name, address }: MeshHost): HostAddress {
  try {
    return hostAddress(address)
  } catch (error) {
    throw new Failure(`${file}: ${name}: ${error instanceof Error ? error.message : String(error)}`, EXIT_INPUT)
  }
}

async function addressOf(host: string): Promise<Uint8Array> {
  const { address } = await failing(() => lookup(host))
  return ipAddress(address)
}

function openLog(directory: string, file: string): number {
  try {
    const log = openSync(path.resolve(directory, file), 'w')
    writeSync(log, LOG_HEAD)
    return log
  } catch (error) {
    throw writeFailure(error, file, 'a file to write')
  }
}

function lineOf({ source, destination }: PingRoute, { port, status, rttPs, agePs }: Probe): string {
  const us = (status === 'ok' ? rttPs : agePs) / 1e6
  const outcome = status === 'ok' ? `${us.toFixed(1)} us` : `${status} after ${(us / 1e3).toFixed(0)} ms`
  return `${source} to ${destination}, port ${port}: ${outcome}`
}

function tableOf(figures: readonly PingFigures[], { text }: Context): string {
  const columns = ['from', 'to', ...['probes', 'lost', 'loss', 'p50 us', 'p99 us', 'slowest us'].map(right)]
  const rows = figures.map(({ source, destination, sent, lost, p50Us, p99Us, maxUs }) => [
    source,
    destination,
    exactCount(sent),
    exactCount(lost),
    sent === 0 ? '-' : `${((100 * lost) / sent).toFixed(2)} %`,
    ...[p50Us, p99Us, maxUs].map((us) => (Number.isNaN(us) ? '-' : us.toFixed(1))),
  ])
  return textTable(columns, rows, text)
}

/** JSON.stringify turns the NaN of a pair without round trips into null. */
function jsonOf(pairs: readonly PingFigures[]): object {
  return { schemaVersion: 1, version: VERSION, pairs }
}
