/**
 * check FILE: validates a scenario and outlines its network, traffic and cost.
 */
import { inputError } from '../../core/base/issue.ts'
import { createSimulation, type ExpectedTraffic, type IrnState } from '../../lab/index.ts'
import { exactCount, factsTable, humanBytes, humanDuration, humanNumber, humanRate } from '../../show/index.ts'
import { type ProfileUse, type Scenario, type ScenarioText, schemeSets } from '../../lab/scenario/index.ts'
import { command, type FlagsOf } from '../command.ts'
import { failOnFlag, givenFlag, sarifFlag, seedFlag, setFlag, suppressFlag } from '../flags.ts'
import type { Context } from '../context.ts'
import {
  type Finding,
  type FindingJson,
  findingJson,
  findingLines,
  sarifLog,
  suppress,
  type Suppressed,
} from '../../core/findings/index.ts'
import { endOnFindings } from '../failure.ts'
import { headroomRows } from '../../lab/advice/headroom-rows.ts'
import { type LinkStage, type Outline, outlineOf, type TierNodes } from '../../lab/advice/outline.ts'
import { fileText } from '../parsers.ts'
import { costText } from '../../lab/advice/run-cost.ts'
import { openScenario, located, readScenario } from '../files/scenario-file.ts'
import { readSuppressionsFile } from '../instruments/suppressions-file.ts'

const FLAGS = {
  seed: seedFlag,
  set: setFlag('Change a parameter; may be repeated'),
  suppress: suppressFlag,
  failOn: failOnFlag,
  json: givenFlag('Print JSON'),
  sarif: sarifFlag,
}
type CheckFlags = FlagsOf<typeof FLAGS>

export const check = command({
  brief: 'Check a scenario without running it, and outline its network, traffic and cost',
  about: [
    'Reports every mistake in FILE at once, builds the network and counts the messages, but runs nothing. Nodes are',
    'numbered as in faults and observers. The cost assumes that nothing is lost and no sender slows down;',
    'retransmissions come on top.',
    '',
    'Findings are settings that are valid and probably not intended; rocelab list findings says what each means and what',
    'to do. --suppress FILE names those that you know and accept, as a YAML list: - {id: pauses-expire, reason: measured,',
    'device: leaf 1, until: 2027-01-31}, where device, port, trafficClass, workload, path and until may be left out.',
    '',
    'Examples:',
    '  rocelab check scenarios/incast-pfc.yaml --set workload.0.senders=99',
    '  rocelab check fabric.yaml --suppress accepted.yaml --fail-on warning',
    '  rocelab check fabric.yaml --sarif > findings.sarif',
  ],
  args: [{ brief: 'Scenario to check; - reads standard input', placeholder: 'FILE', parse: fileText }],
  flags: FLAGS,
  run: checkScenario,
})

function checkScenario(this: Context, flags: CheckFlags, file: string): void {
  const { json: isJson = false, sarif: isSarif = false } = flags
  if (isJson && isSarif) throw inputError('--sarif', 'one form of output', '--json besides')
  const accepted = flags.suppress === undefined ? [] : readSuppressionsFile(this.directory, flags.suppress)
  const text = readScenario(openScenario(this.directory, file), { sets: flags.set ?? [], seed: flags.seed })
  const { scenario, profiles } = text
  // Building finds mistakes that only the network shows: hosts that do not exist, buffers smaller than their headroom.
  const simulation = located(text, () => createSimulation(scenario))
  const { findings: all, ...outline } = located(text, () => outlineOf(scenario, simulation))
  simulation.close()
  const { left, suppressed } = suppress(all, accepted, new Date().toISOString().slice(0, 10))
  const { stdout } = this.process
  if (isJson || isSarif) {
    const printed = isSarif
      ? sarifLog(
          left.map((finding) => atLine(finding, text)),
          suppressed.map(({ finding, reason }) => ({ finding: atLine(finding, text), reason })),
          file,
        )
      : {
          name: scenario.name,
          seed: scenario.seed,
          profiles,
          ...outline,
          findings: left.map((finding) => jsonOf(finding, text)),
          suppressed: suppressed.map(({ finding, reason }) => ({ ...jsonOf(finding, text), reason })),
        }
    stdout.write(`${JSON.stringify(printed)}\n`)
  } else stdout.write(factsTable(rowsOf({ scenario, profiles }, outline, left, suppressed), this.text))
  endOnFindings(this, flags.failOn, left)
}

function jsonOf(finding: Finding, text: ScenarioText): FindingJson {
  return { ...findingJson(finding), subject: atLine(finding, text).subject }
}

/** A finding with the place of its parameter in the scenario file, or of what contains it. */
function atLine(finding: Finding, { locations }: ScenarioText): Finding {
  const { path } = finding.subject
  const [at] = locations.located([{ path: path ?? '', expected: '', received: '', hint: '' }])
  const { file, line } = at ?? {}
  return {
    ...finding,
    subject: { ...finding.subject, ...(file === undefined ? {} : { file }), ...(line === undefined ? {} : { line }) },
  }
}

/** Ports of its host that a queue pair uses. */
function portsText({ portChoice, portDown, portUp }: Scenario['nic']): string {
  const uses = {
    bound: 'each queue pair is bound to one port',
    spray: 'packets of a queue pair use the ports round robin',
    'least-queue': 'each packet of a queue pair uses the port that is free first',
  }[portChoice]
  if (portDown === 'stay') return `${uses}, also when one goes down`
  return `${uses}; if it goes down they move to another${portUp === 'return' ? ', and back when it is up again' : ''}`
}

function profileRow({ at, name, sets, left, unknown }: ProfileUse): string[] {
  const lists = [
    ['sets', sets],
    ['given or of no use here', left],
    ['not known, as without a profile', unknown],
  ] as const
  const said = lists.flatMap(([words, paths]) => (paths.length === 0 ? [] : [`${words}: ${paths.join(', ')}`]))
  return [`${at} profile`, [name, ...said].join('; ')]
}

function rowsOf(
  { scenario, profiles }: Pick<ScenarioText, 'scenario' | 'profiles'>,
  outline: Omit<Outline, 'findings'>,
  findings: readonly Finding[],
  suppressed: readonly Suppressed[],
): string[][] {
  const { hosts, hostPorts, switches, links, hostRateMinBps, hostRateMaxBps } = outline
  const pfc = scenario.pfc.classes.length === 0 ? 'off' : `class ${scenario.pfc.classes.join(', ')}`
  const ecn = scenario.switch.ecn.classes.length === 0 ? 'off' : `class ${scenario.switch.ecn.classes.join(', ')}`
  return [
    ['scenario', `${scenario.name}, seed ${scenario.seed}`],
    ...(scenario.description === '' ? [] : [['', scenario.description.trim()]]),
    [
      'topology',
      `${scenario.topology.kind}: ${hosts} hosts ${hostPorts > 1 ? `with ${hostPorts} ports ` : ''}at ${rateText(hostRateMinBps, hostRateMaxBps)}, ${many(switches, 'switch', 'switches')}, ${many(links, 'link', 'links')}`,
    ],
    ['nodes', outline.nodes.map((tier) => nodesText(tier, hosts)).join('; ')],
    ['rates', outline.stages.map(stageText).join('; ')],
    ...(hostPorts > 1 ? [['ports', portsText(scenario.nic)]] : []),
    ...profiles.map(profileRow),
    ...transportRows(scenario),
    ['switches', `${scenario.switch.buffer.kind}, PFC ${pfc}, ECN ${ecn}`],
    ...watchdogRows(scenario),
    ...headroomRows(scenario, outline.headroom).map((row, index) => [index === 0 ? 'headroom' : '', row]),
    ...stateRows(outline.irnState),
    ...outline.workloads.map((each, index) => [index === 0 ? 'workload' : '', workloadText(each)]),
    ...scenario.faults.map((fault, index) => [index === 0 ? 'faults' : '', faultText(fault)]),
    ...scenario.changes.map((change, index) => [index === 0 ? 'changes' : '', changeText(change)]),
    ['end', endText(scenario)],
    ['cost', costText(outline.cost)],
    ...findingLines(findings).map(({ severity, text }) => [severity, text]),
    ...(suppressed.length === 0 ? [] : [['suppressed', suppressed.map(({ finding: { id } }) => id).join(', ')]]),
  ]
}

function faultText(fault: Scenario['faults'][number]): string {
  if (fault.kind === 'none') return 'none'
  const where = 'links' in fault ? fault.links : 'hosts' in fault ? fault.hosts : fault.switches
  const times = [
    ...('down' in fault && fault.kind !== 'link-flap' ? [`from ${humanDuration(fault.down)}`] : []),
    ...('up' in fault && fault.up !== null ? [`to ${humanDuration(fault.up)}`] : []),
    ...('from' in fault && fault.from > 0 ? [`from ${humanDuration(fault.from)}`] : []),
    ...('until' in fault && fault.until !== null ? [`to ${humanDuration(fault.until)}`] : []),
  ]
  return [`${fault.kind} on ${where}`, ...times].join(' ')
}

function changeText({ path, value, at, nodes, ports }: Scenario['changes'][number]): string {
  const where = ports === 'all' ? nodes : `${nodes}, ports ${ports}`
  return `${path} is ${value} at ${where}${at === 0 ? '' : ` from ${humanDuration(at)}`}`
}

/** The schemes; one row per set where workloads have schemes of their own. */
function transportRows(scenario: Scenario): string[][] {
  const sets = schemeSets(scenario)
  return sets.map(({ scenario: { recovery, congestion, workload } }, index) => {
    const tags = sets.length === 1 ? '' : ` (${workload.map(({ tag }) => tag).join(', ')})`
    const paths = index === 0 ? `, path choice ${scenario.balance.kind}` : ''
    return [index === 0 ? 'transport' : '', `${recovery.kind}, congestion control ${congestion.kind}${paths}${tags}`]
  })
}

/** Watchdogs of PFC: those of switches, and those of NICs. */
function watchdogRows({ nic, switch: { watchdog } }: Scenario): string[][] {
  const parts: string[] = []
  if (watchdog.kind !== 'off') {
    const { kind, detectionTime, restorationTime, pollInterval, action, ports } = watchdog
    const back = restorationTime === null ? 'never restored' : `restored after ${humanDuration(restorationTime)}`
    const polls = `polls every ${humanDuration(pollInterval)}`
    parts.push(`switches: ${kind}, ${action} after ${humanDuration(detectionTime)}, ${back}, ${polls}, ports ${ports}`)
  }
  if (nic.watchdog !== null) parts.push(`NICs: no pauses after ${humanDuration(nic.watchdog)} of standstill, for good`)
  return parts.map((part, index) => [index === 0 ? 'watchdogs' : '', part])
}

/** NIC state that IRN adds ([IRN] 6.1). */
function stateRows(irn: IrnState | null): string[][] {
  if (irn === null) return []
  const { capPackets, bitmapPackets, state } = irn
  const { variableBits, bitmapBits, wqeBytes, sharedBytes } = state
  return [
    [
      'NIC state',
      `IRN adds ${exactCount(variableBits + bitmapBits)} bits per queue pair: ${variableBits} of variables and ${bitmapBits / bitmapPackets} bitmaps of ${bitmapPackets}, ` +
        `for ${many(capPackets, 'packet', 'packets')} in flight; ${wqeBytes} bytes per WQE and ${sharedBytes} bytes shared by all queue pairs`,
    ],
  ]
}

/** Ranges of node ids that are shown. */
const RUNS_MAX = 12

/** "hosts 0-4", "hosts 0-4 (nodes 1-5)", "tier 1 (leaf 0 to leaf 3) 16-19". */
function nodesText({ tier, firstName, lastName, ids }: TierNodes, hosts: number): string {
  const runs = ids.slice(0, RUNS_MAX).map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`))
  const rest = ids.length > RUNS_MAX ? ', ...' : ''
  const names = firstName === lastName ? firstName : `${firstName} to ${lastName}`
  const nodes = `${runs.join(', ')}${rest}`
  if (tier > 0) return `tier ${tier} (${names}) ${nodes}`
  const numbers = hosts === 1 ? '0' : `0-${hosts - 1}`
  return nodes === numbers ? `hosts ${numbers}` : `hosts ${numbers} (nodes ${nodes})`
}

function stageText({ lowerTier, upperTier, links, rateMinBps, rateMaxBps, downOverUp }: LinkStage): string {
  const within = lowerTier === upperTier ? `within tier ${lowerTier}` : `from tier ${lowerTier} to ${upperTier}`
  const what = lowerTier === 0 ? many(links, 'host link', 'host links') : `${exactCount(links)} ${within}`
  const over = downOverUp !== null && downOverUp > 1 ? `, oversubscribed ${humanNumber(downOverUp)}:1` : ''
  return `${what} at ${rateText(rateMinBps, rateMaxBps)}${over}`
}

function rateText(leastBps: number, mostBps: number): string {
  const rates = [leastBps, mostBps].map((bps) => humanRate(bps)) as [string, string]
  return rates[0] === rates[1] ? rates[0] : rates.join(' to ')
}

function workloadText({ kind, tag, messages, bytes, how }: ExpectedTraffic): string {
  const name = tag === kind ? kind : `${kind} (${tag})`
  const flows = `${many(messages, 'flow', 'flows')}, ${humanBytes(bytes)}`
  if (how === 'exact') return `${name}: ${flows}`
  return how === 'at-least' ? `${name}: more than ${flows}` : `${name}: ${flows} at first, more as they finish`
}

function many(count: number, one: string, more: string): string {
  return `${exactCount(count)} ${count === 1 ? one : more}`
}

function endText({ measure }: Scenario): string {
  const { generate, stop, end } = measure
  const parts = [
    ...(generate === null ? [] : [`messages until ${humanDuration(generate)}`]),
    ...(stop === null ? [] : [`stop at ${humanDuration(stop)}`]),
  ]
  const limits = parts.join(', ')
  if (end !== 'drain') return limits
  return `${limits}${limits === '' ? '' : ', or '}when every message is finished`
}
