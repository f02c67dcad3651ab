/**
 * NVUE configuration of a Cumulus Linux switch: "nv set" commands, or YAML and JSON as "nv config show" prints them.
 * Source: NVIDIA Cumulus Linux User Guide, "NVUE", "Quality of Service" (PFC watchdog), "RDMA over Converged Ethernet".
 */
import { PS_PER_MS } from '../../../../core/device-model/index.ts'
import type { Dialect } from '../dialect.ts'
import type { Facts } from '../facts.ts'
import { type Branch, countOf } from '../tree.ts'
import { isOn } from './names.ts'
import { notePort, portsOf } from './ports.ts'
import { type Context, contextOf, noteQos } from './qos.ts'
import { COMMANDS, configurationOf, DOCUMENT } from './statements.ts'

const POLL_MS = 100
const POLLS = 3
/** Statements of qos that change nothing of what is read, with all below them. */
const SKIPPED: ReadonlySet<string> = new Set(['remark', 'egress-shaper', 'pcp', 'traffic-pool', 'link-pause'])
/** Profiles that decide about PFC or ECN. */
const KINDS = ['pfc', 'congestion-control']
const WATCHDOG = ['qos', 'pfc-watchdog']

export const nvue: Dialect = {
  name: 'nvue',
  language: 'nvue',
  title: 'NVUE configuration (nv config show)',
  command: 'nv config show',
  leavesOut: [
    'remarking and shapers',
    'maps of PCP',
    'advanced buffer settings',
    'length of the cable where RoCE is on and none is written',
    'RoCE mode lossy-multi-tc',
  ],
  recognises: ({ text }) =>
    COMMANDS.test(text) ||
    (DOCUMENT.test(text) && /nvue|"(?:system|qos|interface)":|^[ \t]+(?:system|qos|interface):/m.test(text)),
  read(part, facts) {
    facts.kind = 'switch'
    const { root, form, broken, strange } = configurationOf(part)
    const name = root.value('system', 'hostname')
    if (name !== undefined) facts.hostname = name.word
    facts.switch.take('platform', root.value('header', 'model'), ({ word }) => word)
    const hasHeader = form === 'document' && root.at('header') !== undefined
    facts.isComplete = broken === null && (name !== undefined || hasHeader) && root.at('interface') !== undefined
    if (broken !== null) facts.cut(broken, 'a whole document')
    const context = contextOf(root, facts, part.lines[0]!)
    const ports = portsOf(root)
    for (const port of ports) noteQos(context, port, notePort(root, port, facts))
    noteWatchdog(context)
    notePools(root, facts)
    const routing =
      root.value('router', 'adaptive-routing', 'enable') ?? root.value('router', 'adaptive-routing', 'state')
    if (routing !== undefined && isOn(routing.word) === true) facts.switch.put('balance', 'spray', routing.line)
    noteUnapplied(context)
    facts.remainder.push(...strange, ...(root.at('qos')?.unread(SKIPPED) ?? []))
  },
}

/** It restores a queue after one poll without pauses. */
function noteWatchdog({ facts, root }: Context): void {
  const on = root
    .all('interface')
    .map((one) => one.at(...WATCHDOG))
    .find((own) => own !== undefined && isOn(own.value('state')?.word ?? 'on') !== false)
  const global = root.at(...WATCHDOG)
  const poll = global?.value('polling-interval')
  const polls = global?.value('robustness')
  if (on === undefined) return facts.watchdog.putDefault('kind', 'off', root.line)
  facts.watchdog.put('kind', 'nvidia', on.line)
  const [pollMs, count] = [countOf(poll) ?? POLL_MS, countOf(polls) ?? POLLS]
  const put = (field: 'pollPs' | 'detectionPs', ms: number, ...from: (Branch | undefined)[]): void => {
    const written = from.find((one) => one !== undefined)
    if (from.includes(undefined) && !facts.isComplete) return
    facts.watchdog.put(field, ms * PS_PER_MS, (written ?? on).line, written === undefined ? 'default' : 'set')
  }
  put('pollPs', pollMs, poll)
  put('detectionPs', pollMs * count, polls, poll)
  // Nobody sets it: it follows from the polls.
  if (poll !== undefined || facts.isComplete)
    facts.watchdog.put('restorationPs', pollMs * PS_PER_MS, (poll ?? on).line, 'default')
  facts.watchdog.putDefault('action', 'drop', on.line)
}

/** Pools have shares, and no sizes. */
function notePools(root: Branch, facts: Facts): void {
  for (const [index, pool] of root.all('qos', 'traffic-pool').entries()) {
    facts.pool(index).put('poolName', pool.word, pool.line)
    facts.pool(index).put('side', 'both', pool.line)
    const share = pool.value('memory-percent')
    const percent = countOf(share)
    if (percent !== undefined) facts.other(`traffic-pool ${pool.word} memory-percent`, percent, share!.line)
  }
}

function noteUnapplied({ facts, root, used }: Context): void {
  if (!facts.isComplete) return
  for (const kind of KINDS)
    for (const { word, line } of root.all('qos', kind))
      if (word !== 'default-global' && !used.has(`${kind} ${word}`)) facts.refer('unapplied', `qos ${kind}`, word, line)
}
