/**
 * Configuration of Junos and Junos Evolved (QFX, PTX), in braces or as "set" lines.
 * Source: Juniper, Traffic Management User Guide (QFX Series); Junos CLI User Guide.
 */
import type { Dialect } from '../dialect.ts'
import type { Facts } from '../facts.ts'
import type { Line, Part } from '../text.ts'
import { Branch, growPath } from '../tree.ts'
import { Attached } from './attached.ts'
import { ForwardingClasses } from './classes.ts'
import { notePartitions, noteReferences, noteRouting, noteUsed, noteWatchdog } from './device.ts'
import { inherit } from './groups.ts'
import { notePort, portsOf } from './ports.ts'
import { profilesOf } from './profiles.ts'
import { type Context, noteQos } from './qos.ts'
import { type Script, scriptOf } from './statements.ts'

const SHOWN = /^show (?:configuration|config)\b([^|]*)/
const SET =
  /^[ \t]*(?:set|deactivate) +(?:class-of-service|system +host-name|interfaces +(?:et|xe|ge|ae|fte|interface-range)\b|groups)/m
const BLOCK = /^(?:class-of-service|interfaces|system|groups|chassis)[ \t]*\{[ \t]*(?:##.*)?$/m
/** Statements of class-of-service that change nothing of what is read, with all below them. */
const SKIPPED: ReadonlySet<string> = new Set([
  'rewrite-rules',
  'host-outbound-traffic',
  'buffer-size',
  'shaping-rate',
  'exact',
  'description',
  'apply-groups',
  'apply-groups-except',
  'loss-priority',
  'forwarding-class-sets',
  'dscp-ipv6',
  'tri-color',
  'priority',
  'excess-rate',
  'guaranteed-rate',
  'transmit-rate',
])

const isShown = ({ command }: Part): boolean => SHOWN.test(command)

/** Words in front of what a command has shown: "show configuration class-of-service interfaces". */
function prefixOf({ command }: Part): string[] {
  return (SHOWN.exec(command)?.[1] ?? '').split(/\s+/).filter((word) => word !== '')
}

function treeOf({ statements }: Script, line: Line): Branch {
  const root = new Branch('', line, 0)
  let order = 0
  for (const { verb, words, line: own } of statements)
    if (verb === 'set') growPath(root, words, own, ++order)
    else if (verb === 'delete') {
      const parent = words.slice(0, -1).reduce<Branch | undefined>((branch, word) => branch?.children.get(word), root)
      parent?.children.delete(words.at(-1) ?? '')
    } else {
      let branch = root
      for (const word of words) branch = branch.grow(word, own, ++order)
      branch.isOff = verb === 'deactivate'
    }
  root.isOff = false
  root.prune()
  return root
}

/** Filters that put packets in classes. */
function filtersOf(root: Branch): ReadonlySet<string> {
  const families = root.all('firewall', 'family')
  const filters = [...root.all('firewall', 'filter'), ...families.flatMap((family) => family.all('filter'))]
  return new Set(
    filters
      .filter((filter) => filter.all('term').some((term) => term.value('then', 'forwarding-class') !== undefined))
      .map(({ word }) => word),
  )
}

export const junos: Dialect = {
  name: 'junos',
  language: 'junos',
  title: 'Junos configuration',
  command: 'show configuration | display set | no-more',
  leavesOut: [
    'classification by filters, MPLS and IP precedence',
    'classifiers for IPv6, where they differ from those for IPv4',
    'rewrite rules',
    'sizes of queues and of the buffer, and so thresholds in bytes',
    'scale of dynamic-threshold',
    'logical systems and routing instances',
  ],
  recognises: (part) =>
    isShown(part) || SET.test(part.text) || (BLOCK.test(part.text) && /;[ \t]*(?:##.*)?$/m.test(part.text)),
  read(part, facts) {
    facts.kind = 'switch'
    const script = scriptOf(part, prefixOf(part))
    const root = treeOf(script, part.lines[0]!)
    const { missing, strange } = inherit(root)
    const name = root.value('system', 'host-name')
    if (name !== undefined) facts.hostname = name.word
    const isWhole = script.open === null && !script.isTorn && !part.command.includes('match')
    const hasPorts = (root.at('interfaces')?.children.size ?? 0) > 0
    facts.isComplete = isWhole && hasPorts && (name !== undefined || root.value('version') !== undefined)
    if (script.open !== null) facts.cut(script.open, 'the end of a block or text')
    for (const { word, line } of missing) facts.refer('undefined', 'groups', word, line, '', false)
    note(root, facts)
    facts.remainder.push(...strange, ...script.strange)
    facts.remainder.push(...(root.at('class-of-service')?.unread(SKIPPED) ?? []))
  },
}

function note(root: Branch, facts: Facts): void {
  const cos = root.at('class-of-service')
  const attached = new Attached(cos)
  const headroom = cos?.value('shared-buffer', 'ingress', 'buffer-partition', 'lossless-headroom', 'percent')
  const context: Context = {
    facts,
    classes: new ForwardingClasses(cos, facts.isComplete),
    profiles: profilesOf(cos),
    headroom,
    filters: filtersOf(root),
    used: new Set(),
  }
  const ports = portsOf(root, new Map(attached.ports().map(({ word, line }) => [word, line])))
  for (const port of ports) noteQos(context, port, notePort(root, port, facts), attached.of(port))
  noteUsed(context, attached.all())
  const prefix = 'congestion-notification-profile '
  const used = [...context.used].filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length))
  noteWatchdog(context, new Set(used), cos ?? root)
  notePartitions(cos, facts)
  noteRouting(root, facts)
  noteReferences(context)
}
