/**
 * Findings on imports: what was left out, assumed or changed on the way from another simulator's files to a scenario.
 * Reasons and names come from tables of the importers; sentences on single models are in import-differences.ts.
 */
import { exactCount } from '../../base/format.ts'
import { defineFinding, type Finding, foundAt, type Subject, type Values } from '../finding.ts'
import { counted } from '../words.ts'
import { ADAPTATIONS, ASSUMPTIONS, DIFFERENCES, type SentenceOf } from './import-differences.ts'

export * from './import-graphs.ts'

/** Whose text is the sentence that `what` names. */
const sentenceOf =
  (table: Readonly<Record<string, SentenceOf>>) =>
  (values: Values & { readonly what: string }): string =>
    // Cast: a finding has the values that the sentence needs (differs, adapted, assumed).
    table[values.what]!(values as never)

export const importRead = defineFinding<{
  dialect: string | null
  counts: Readonly<Record<string, number>>
  hostIds: readonly [number, number] | null
}>({
  id: 'import-read',
  severity: 'note',
  meaning: 'The network that the files describe.',
  source: '',
  remedy: 'compare it with the network that was meant; --dialect names the simulator where it has dialects',
  text: ({ dialect, counts, hostIds }) => {
    const parts = Object.entries(counts).map(([word, count]) => counted(count, word))
    const ids = hostIds === null ? '' : `; ids of hosts ${hostIds[0]} to ${hostIds[1]}`
    return `${dialect === null ? '' : `dialect ${dialect}: `}${parts.join(', ')}${ids}`
  },
  advice: () => '',
})

export const importGraph = defineFinding<{
  ranks: number
  operations: number
  messages: number
  bytes: number
  longestChain: number
  /** Receives of any message: which one each waits for is not known before the run. */
  wildcards: number
  roots: number
  dropped: number
}>({
  id: 'import-graph',
  severity: 'note',
  meaning: 'The program of operations that the files describe.',
  formula:
    'longest chain: messages of which each waits for the one before, directly or through other operations; roots: operations that wait for nothing, receives not counted',
  source: '',
  remedy: 'compare the numbers with those that the tool which wrote the files states',
  text: ({ ranks, operations, messages, bytes, longestChain, wildcards, roots, dropped }) => {
    const parts = [
      counted(ranks, 'rank'),
      counted(operations, 'operation'),
      `${counted(messages, 'message')} of ${exactCount(bytes)}B together`,
      wildcards === 0
        ? `longest chain of ${counted(longestChain, 'message')}`
        : `longest chain of at least ${counted(longestChain, 'message')}, as ${counted(wildcards, 'receive')} ${wildcards === 1 ? 'takes' : 'take'} any message`,
      `${counted(roots, 'operation')} wait${roots === 1 ? 's' : ''} for nothing`,
      ...(dropped > 0 ? [`${counted(dropped, 'dependency')} left out`] : []),
    ]
    return parts.join(', ')
  },
  advice: () => '',
})

export const importMeanFlowSize = defineFinding<{ meanBytes: number }>({
  id: 'import-mean-flow-size',
  severity: 'note',
  meaning: 'The mean of a distribution of flow sizes, which with the load gives the rate of arrivals.',
  formula: 'trapezoid rule between the points',
  source: '',
  remedy: 'compare it with the mean that the source of the distribution states',
  text: ({ meanBytes }) => `mean flow size ${exactCount(meanBytes)}B, linear between the points`,
  advice: () => '',
})

export const importFileChosen = defineFinding<{ used: string; key: string | null; named: string | null }>({
  id: 'import-file-chosen',
  severity: 'note',
  meaning: 'A file was read that the user did not name.',
  source: '',
  remedy: 'name the file with its option, or none where the option has it',
  text: ({ used, key, named }) =>
    key === null ? `${used}, beside the configuration, is used` : `${key} ${named} does not exist; ${used} is used`,
  advice: () => '',
})

export const importTextIgnored = defineFinding<{
  words: string | null
  count: number
  of: string
  ignoredThere: boolean
}>({
  id: 'import-text-ignored',
  severity: 'note',
  meaning: 'A line or a file has more text than it should; the scenario does not need it.',
  source: '',
  remedy: 'delete the text, or correct the count before it',
  text: ({ words, count, of, ignoredThere }) => {
    const there = ignoredThere ? ', as in that simulator' : ''
    return words === null
      ? `text from this line on is ignored${there}: the first line declares ${counted(count, of)}`
      : `"${words}" after the ${count === 1 ? of : counted(count, of)} of this line is ignored${there}`
  },
  advice: () => '',
})

export const importRowLeftOut = defineFinding<{ otherLine: number; leastBytes: number | null }>({
  id: 'import-row-left-out',
  severity: 'note',
  meaning: 'A row of a distribution adds nothing to another one.',
  source: '',
  remedy: 'delete the row',
  text: ({ otherLine, leastBytes }) =>
    leastBytes === null
      ? `repeats the row of line ${otherLine}; left out`
      : `the share is still 0, so no flow is smaller than ${leastBytes}B; the row of line ${otherLine} is left out`,
  advice: () => '',
})

export const importKeyRepeated = defineFinding<{ key: string }>({
  id: 'import-key-repeated',
  severity: 'warning',
  meaning: 'A key stands twice in a configuration. The last value counts, as in the simulator.',
  source: '',
  remedy: 'delete one of the two',
  text: ({ key }) => `${key} is set again; the last value counts, as in that simulator`,
  advice: () => '',
})

export const importKeyUnknown = defineFinding<{
  words: string
  keysOf: string
  ignoredThere: boolean
  forkSets: string | null
}>({
  id: 'import-key-unknown',
  severity: 'warning',
  meaning: 'A key that the simulator does not read. A fork of it may, and its runs then differ from the scenario.',
  source: '',
  remedy: 'correct or delete the key; if a fork reads it, put what it sets into the scenario',
  text: ({ words, keysOf, ignoredThere, forkSets }) => {
    const what = `"${words}" is not a known key of ${keysOf}; ignored`
    if (!ignoredThere) return what
    const fork = forkSets === null ? 'a fork may read it' : `a fork reads it (${forkSets}), and its runs will differ`
    return `${what}, as in that simulator, but ${fork}`
  },
  advice: () => '',
})

export const importWithoutEffect = defineFinding<{ names: readonly string[]; reason: string }>({
  id: 'import-without-effect',
  severity: 'note',
  meaning: 'Settings that change nothing in the scenario, and why.',
  source: '',
  remedy: 'none is needed, unless they were meant to have an effect',
  text: ({ names, reason }) => `without effect: ${names.join(', ')} (${reason})`,
  advice: () => '',
})

export const importNotCarriedOver = defineFinding<{ names: readonly string[]; instead: string }>({
  id: 'import-not-carried-over',
  severity: 'warning',
  meaning: 'Settings that change runs of the simulator and that a scenario cannot express.',
  source: '',
  remedy: 'set in the scenario what comes nearest',
  text: ({ names, instead }) =>
    `${names.join(' and ')} ${names.length === 1 ? 'is' : 'are'} not carried over: ${instead}`,
  advice: () => '',
})

export const importDefaults = defineFinding<{ defaults: readonly (readonly [key: string, value: string])[] }>({
  id: 'import-defaults',
  severity: 'note',
  meaning:
    "Keys that the configuration does not set. They have the defaults of the simulator's code, which may differ from those of its sample files.",
  source: '',
  remedy: 'write the values of the run into the configuration',
  text: ({ defaults }) =>
    `absent keys have the defaults of that simulator's code: ${defaults.map((pair) => pair.join(' ')).join(', ')}`,
  advice: () => '',
})

export const importAssumed = defineFinding<Values & { readonly what: keyof typeof ASSUMPTIONS }>({
  id: 'import-assumed',
  severity: 'note',
  meaning: 'The files leave something open that a scenario needs, and the importer chose it.',
  source: '',
  remedy: 'give it by an option, or change it in the scenario',
  text: sentenceOf(ASSUMPTIONS),
  advice: () => '',
})

export const importReplaced = defineFinding<{ option: string; chosen: string; key: string; written: string }>({
  id: 'import-replaced',
  severity: 'note',
  meaning: "An option replaces what the files say: results will differ from the simulator's.",
  source: '',
  remedy: 'leave the option out to import what the files say',
  text: ({ option, chosen, key, written }) =>
    `${option} ${chosen} by option, in place of ${key} ${written}: results will differ from that simulator's`,
  advice: () => '',
})

export const importFlowsLate = defineFinding<{ flows: number; of: number }>({
  id: 'import-flows-late',
  severity: 'warning',
  meaning: 'Flows start at or after the stop time of the run.',
  formula: 'start >= SIMULATOR_STOP_TIME',
  source: '',
  remedy: 'raise the stop time, or leave the flows out',
  text: ({ flows, of }) =>
    `${counted(flows, 'flow')} of ${exactCount(of)} would start at or after the stop time and never run`,
  advice: () => '',
})

export const importHostsIdle = defineFinding<{ nodes: number; hosts: number }>({
  id: 'import-hosts-idle',
  severity: 'note',
  meaning: 'The topology has more hosts than the connection matrix uses.',
  source: '',
  remedy: 'check that the two files belong together',
  text: ({ nodes, hosts }) =>
    `the connection matrix is for ${counted(nodes, 'node')} and the topology for ${exactCount(hosts)}: the other hosts are idle`,
  advice: () => '',
})

export const importUnchecked = defineFinding<{ simulator: string; others: string }>({
  id: 'import-unchecked',
  severity: 'note',
  meaning:
    'No run of this simulator has been compared with rocelab; what is not known of it is as in a relative of it.',
  source: 'docs/models/fidelity.md',
  remedy: 'compare a run of the simulator with the scenario before relying on numbers',
  text: ({ simulator, others }) =>
    `no run of ${simulator} has been compared with rocelab: clock, NIC and ${others} are those of the HPCC fork`,
  advice: () => '',
})

export const importAdapted = defineFinding<Values & { readonly what: keyof typeof ADAPTATIONS }>({
  id: 'import-adapted',
  severity: 'note',
  meaning: 'The scenario says the same in another form.',
  source: '',
  remedy: 'none is needed',
  text: sentenceOf(ADAPTATIONS),
  advice: () => '',
})

export const importDiffers = defineFinding<Values & { readonly what: keyof typeof DIFFERENCES }>({
  id: 'import-differs',
  severity: 'note',
  meaning: 'The scenario behaves otherwise than the simulator whose files were imported.',
  source: 'readers and models of the simulators',
  remedy: 'keep it in mind when numbers are compared',
  text: sentenceOf(DIFFERENCES),
  advice: () => '',
})

type Facts<F> = F extends (values: infer V) => string ? (unknown extends V ? Record<string, never> : V) : never

export function assumed<W extends keyof typeof ASSUMPTIONS>(
  what: W,
  values: Facts<(typeof ASSUMPTIONS)[W]>,
  subject: Subject = {},
): Finding {
  return foundAt(importAssumed, subject, { what, ...(values as Values) })
}

export function adapted<W extends keyof typeof ADAPTATIONS>(
  what: W,
  values: Facts<(typeof ADAPTATIONS)[W]>,
  subject: Subject = {},
): Finding {
  return foundAt(importAdapted, subject, { what, ...(values as Values) })
}

export function differs<W extends keyof typeof DIFFERENCES>(
  what: W,
  values: Facts<(typeof DIFFERENCES)[W]>,
  subject: Subject = {},
): Finding {
  return foundAt(importDiffers, subject, { what, ...(values as Values) })
}
