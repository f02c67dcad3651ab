/**
 * Lines of a shell that set things: scripts that are run at the start of a host, or what somebody has typed. They are done
 * in their order, and the last one holds. They are a fragment of the host: what none of them sets is unknown.
 * A command that a condition decides about may have run or not: what it sets is unknown then.
 */
import { UNKNOWN } from '../../../../../core/device-model/index.ts'
import type { Dialect } from '../../dialect.ts'
import { Facts } from '../../facts.ts'
import { hasJobVariables, readJobVariables } from './job-environment.ts'
import { type Context, type PortMemory, SETTERS } from './settings.ts'
import { commandsOf, type ShellCommand } from './shell-words.ts'
import { writeToSysfs } from './sysfs-writes.ts'

const WRITERS: readonly string[] = ['echo', 'printf']
const SYSFS = '/sys/class/'
/** Up to as many characters of a line, or of lines that go on. Lengths are bounded, and so is the time that a line takes. */
const upTo = (count: number): string => String.raw`(?:[^\n]|(?<=\\)\n){0,${count}}?`
const MLNX_SETS = '--(?:pfc|prio_tc|tsa|tcbw|dcbx|trust|dscp2prio|cable_len|prio2buffer|buffer_size)|-[fpstd]'
/** Commands that set something, as they stand in lines. */
const COMMANDS: readonly string[] = [
  String.raw`mlnx_qos\s${upTo(200)}(?<=\s)(?:${MLNX_SETS})[\s=]`,
  String.raw`cma_roce_tos\s${upTo(100)}(?<=\s)-t[\s=]`,
  String.raw`dcb (?:-\w+ )?\w+ (?:set|add|replace|del|flush)\s`,
  String.raw`ethtool (?:-A|--pause|-s|--change|--set-tunable|--set-fec)\s`,
  String.raw`ip (?:-\w+ )?link set\s`,
  String.raw`(?:echo|printf)\s${upTo(200)}/sys/class/(?:net|infiniband)/`,
]
const SETS = new RegExp(String.raw`^[^\n]{0,200}?(?<![\w-])(?:${COMMANDS.join('|')})`, 'm')

/** Notes what a command sets. False: it sets something that is not known. */
function apply({ words, target, isUnclear }: ShellCommand, context: Context): boolean {
  const [name = '', ...rest] = words
  if (WRITERS.includes(name) && target.startsWith(SYSFS)) {
    if (isUnclear) return false
    const value = rest.filter((word) => !/^-[neE]+$/.test(word)).join(' ')
    return writeToSysfs(target.slice(SYSFS.length), value.replaceAll(String.raw`\n`, '').trim(), context)
  }
  const setter = SETTERS.get(name)
  return setter === undefined || (!isUnclear && setter(words, context))
}

/** All that a command would set is unknown from here on. */
function applyMaybe(command: ShellCommand, { facts, memories, line }: Context): boolean {
  const trial = new Facts(facts.file)
  const trialMemories = new Map<string, PortMemory>()
  const isRead = apply(command, { facts: trial, memories: trialMemories, line })
  for (const [name, { values }] of trial.ports) {
    const port = facts.port(name)
    for (const key of values.keys()) port.values.set(key, UNKNOWN)
  }
  for (const name of trialMemories.keys()) memories.delete(name)
  return isRead
}

export const shellSettings: Dialect = {
  name: 'shell-settings',
  title: 'lines of a shell that set things',
  command: '',
  leavesOut: [
    'commands whose words only a run knows',
    'rate limits',
    'lldptool -T, nicctl update, niccli set, mlxconfig set',
    'files of sysfs beyond ecn, qos, mtu and traffic_class',
  ],
  recognises: ({ text }) => SETS.test(text),
  read(part, facts) {
    facts.kind = 'host'
    const memories = new Map<string, PortMemory>()
    for (const command of commandsOf(part.lines)) {
      const context = { facts, memories, line: command.line }
      const isRead = command.isCertain ? apply(command, context) : applyMaybe(command, context)
      if (!isRead && facts.remainder.at(-1) !== command.line) facts.remainder.push(command.line)
    }
    // Old releases of mlnx_qos write PFC of no priority with the length of the cable.
    for (const [name, { lengthLine }] of memories)
      if (lengthLine !== undefined) facts.port(name).other('cableSetAfterPfc', true, lengthLine)
    if (hasJobVariables(part.text)) readJobVariables(part.lines, facts)
  },
}
