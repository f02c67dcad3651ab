/**
 * NVUE of Cumulus Linux: the document of "nv config show", or its commands. Where all ports have the values of a preset for
 * RoCE the file says so ("qos roce"); else each port has profiles, which ports with the same settings share.
 * The file is a whole configuration: what nobody knows is left out, and counts as Cumulus' default.
 * Some values can be said only together with others:
 * - There is one map of classes to queues for all ports: of each class the first known queue is written. A received pause
 *   stops the queue of its class.
 * - Settings of a lossless class (sizes, headroom, watchdog) are those of all lossless classes of its port; the first known
 *   value is written. Other classes have none of them.
 * - All lossless classes have headroom, or none: the pool's share decides.
 * - Classes that are lossless and not in force are all classes of the port; classes in force are known only where PFC is
 *   on in both directions. PFC is on or off: there is no agreement with the peer.
 * - A port that trusts DSCP or both has a class for each DSCP, one that trusts nothing has one class, one that trusts PCP
 *   has none of DSCPs. Each classifies.
 * - Schedules are strict or shares in percent; probabilities are whole percents, lengths whole metres.
 * - The watchdog polls every whole millisecond or more, detects after some polls, restores after one, and drops.
 * - Balance is "spray" or unknown; speeds are whole Mb/s. A port without a limit of its packets has the largest MTU.
 * Ports are named swpN or swpNsM: others are not read as ports.
 * Source: NVIDIA Cumulus Linux User Guide, "NVUE", "Quality of Service", "RDMA over Converged Ethernet".
 */
import { type Preset, PRESETS } from '../dialects/nvue/preset.ts'
import { knownOf, type DeviceConfig, type PortConfig, type SwitchSettings } from '../../../core/device-model/index.ts'
import { firstKnown, isSame, whole } from './known.ts'
import { writePort, writeWatchdog } from './nvue/ports.ts'
import { isPreset, mappingOf, markingOf, pfcOf, schedulesOf, writeQueues } from './nvue/qos.ts'
import { Statements } from './nvue/statements.ts'
import type { Writer } from './writer.ts'

/** Share of the pool of lossless classes where nobody knows more than that there is headroom. */
const POOL_PERCENT = 50
const PERCENT_OF = /^traffic-pool (\S+) memory-percent$/

export const nvueWriter: Writer = {
  language: 'nvue',
  variants: ['yaml', 'commands'],
  cannotSay: {
    'classes.isStormed': 'the device shows it, and nobody sets it',
    'classes.classMtuBytes': 'classes have the MTU of the port',
    'classes.group': 'there are no priority groups',
    'classes.dropsAtEgress': 'sizes of queues are not set',
    'classes.alpha': 'it is an advanced setting, which is not written',
    'classes.staticBytes': 'limits are shares',
    'classes.headroomBytes': 'it follows from speed and cable',
    'classes.xonBytes': 'it is an offset',
    'classes.kminRatio': 'thresholds are bytes',
    'classes.kmaxRatio': 'thresholds are bytes',
    peerPfcClasses: 'what a peer advertises is no setting',
    'watchdog.restorationPs': 'a queue is restored after one poll',
    platform: 'the header of the document has it, commands do not',
    'pools.side': 'a pool is for both sides',
    'pools.sizeBytes': 'pools have shares',
    'pools.sharedHeadroomBytes': 'pools have shares',
    headroomOversubscription: 'it is not set',
    isHeadroomDynamic: 'headroom always follows from speed and cable',
    headroomTable: 'headroom is known for all speeds and lengths',
    arpSeconds: 'it is set in the kernel',
    macAgeSeconds: 'it is no part of what is written',
    floodsLossless: 'it follows from the hardware',
    'watchdog.ports': 'each port says it for itself',
    other: 'settings of other languages',
  },
  write(config, { variant, nameOf }) {
    const statements = new Statements(nameOf)
    writeAll(statements, config)
    if (variant === 'commands') return [{ file: 'nvue-commands.txt', text: statements.commands() }]
    const model = 'platform' in config.settings ? knownOf(config.settings.platform) : undefined
    return [{ file: 'nvue.yaml', text: statements.document(model) }]
  },
}

function writeAll(statements: Statements, { device, settings, ports }: DeviceConfig): void {
  statements.device('system', 'hostname', device)
  if (!('pools' in settings)) return
  const pools = sharesOf(settings)
  const preset = presetOf(ports, pools)
  const lengths = ports.map((port) => knownOf(port.settings.cableM))
  const [length] = lengths
  const isOneLength = preset !== undefined && length !== undefined && lengths.every((each) => each === length)
  if (preset !== undefined) statements.device('qos', 'roce', 'mode', preset.mode)
  if (isOneLength) statements.device('qos', 'roce', 'cable-length', whole(length))
  if (preset === undefined) writeHeadroom(pools, ports)
  for (const [pool, percent] of pools) statements.device('qos', 'traffic-pool', pool, 'memory-percent', percent)
  if (knownOf(settings.balance) === 'spray') statements.device('router', 'adaptive-routing', 'enable', 'on')
  const queues = preset === undefined ? writeQueues(statements, ports) : preset.values.queues
  for (const port of ports) {
    writePort(statements, port)
    const { name, settings: own } = port
    statements.profile(name, 'pfc', pfcOf(own, preset?.values.lossless ?? [], isOneLength))
    if (preset !== undefined) continue
    statements.profile(name, 'mapping', mappingOf(own))
    statements.profile(name, 'congestion-control', markingOf(own, queues))
    statements.profile(name, 'egress-scheduler', schedulesOf(own, queues))
  }
  writeWatchdog(statements, settings, ports)
}

function sharesOf({ other }: SwitchSettings): Map<string, string> {
  const shares = new Map<string, string>()
  for (const [name, value] of Object.entries(other)) {
    const pool = PERCENT_OF.exec(name)?.[1]
    const percent = knownOf(value)
    if (pool !== undefined && typeof percent === 'number') shares.set(pool, whole(percent))
  }
  return shares
}

const headroomOf = (ports: readonly PortConfig[]): boolean | undefined =>
  firstKnown(
    ports.flatMap(({ settings }) =>
      (knownOf(settings.pfcClasses) ?? []).map((index) => settings.classes[index]!.hasHeadroom),
    ),
  )

/** Without a preset the share of a pool says whether lossless classes have headroom. */
function writeHeadroom(pools: Map<string, string>, ports: readonly PortConfig[]): void {
  const has = headroomOf(ports)
  const share = pools.get('default-lossless')
  if (has !== undefined && (share === undefined || Number(share) > 0 !== has))
    pools.set('default-lossless', String(has ? POOL_PERCENT : 0))
}

/** The preset for RoCE whose values all ports have; undefined: none. */
function presetOf(
  ports: readonly PortConfig[],
  pools: ReadonlyMap<string, string>,
): { mode: string; values: Preset } | undefined {
  const has = headroomOf(ports)
  const isRoomy = Number(pools.get('roce-lossless') ?? POOL_PERCENT) > 0
  for (const [mode, values] of PRESETS)
    if (
      ports.length > 0 &&
      ports.every(({ settings }) => isPreset(values, settings)) &&
      (has === undefined || isSame(has, isRoomy))
    )
      return { mode, values }
  return undefined
}
