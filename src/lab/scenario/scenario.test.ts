import { expect, test } from 'vitest'
import { formatIssue, InputError } from '../../core/base/issue.ts'
import { group, type Param, type ParamFields } from '../../core/base/params.ts'
import {
  checkScenario,
  describeScenario,
  formatScenario,
  parseScenario,
  parseTree,
  printScenario,
  scenarioParams,
  type ParseOptions,
} from './index.ts'
import { formatParam, isSame } from './text/print.ts'

const SMALL = 'name: small\ntopology: star\nworkload:\n  - permutation\n'

/** The messages for a text, without locations. */
function messages(text: string, options: ParseOptions = {}): string[] {
  try {
    parseScenario(text, options)
  } catch (error) {
    if (error instanceof InputError)
      return error.issues.map(({ path, expected, received, hint }) => formatIssue({ path, expected, received, hint }))
    throw error
  }
  return []
}

/** Messages of the small scenario with these overrides. */
const withSets = (...sets: string[]): string[] => messages(SMALL, { sets })

test('a scenario of four lines takes the defaults for everything else', () => {
  const scenario = parseScenario(SMALL)
  expect(scenario.seed).toBe(1)
  expect(scenario.topology.kind).toBe('star')
  expect(scenario.switch.buffer.kind).toBe('shared-buffer')
  expect(printScenario(scenario)).toMatchObject({ classes: { data: 3, ackAtHost: 'off', ackAtSwitch: 'off' } })
  expect(checkScenario(scenario)).toEqual([])
  expect(formatScenario(scenario, { compact: true })).toBe(SMALL)
})

test('every param has a row with its type and help', () => {
  const rows = describeScenario()
  const paths = rows.map((row) => row.path)
  expect(new Set(paths).size).toBe(paths.length)
  expect(rows.every((row) => row.help !== '')).toBe(true)
  expect(rows.find((row) => row.path === 'switch.buffer[shared-buffer].size')).toEqual({
    per: 'switch',
    live: false,
    path: 'switch.buffer[shared-buffer].size',
    type: 'size',
    unit: 'B KB MB GB TB KiB MiB GiB TiB',
    default: 'off',
    range: 'at least 1B, or off',
    help: 'whole buffer of a switch; off: 12MiB, or where reserves and headroom do not fit in that, 12MiB doubled until they take half of it or less, up to 6GiB',
    source: '[MS-Scale] section 2: 9 or 12 MB',
  })
  expect(rows.find((row) => row.path === 'workload[poisson].load')?.range).toBe('from 0.000001 to 4')
})

test('every default is within its own limits, and every key can be written', () => {
  const wrong: string[] = []
  const readsBack = (param: Param, value: unknown): boolean => {
    const holder = group({ x: { ...param, isHidden: false } }, { help: '' })
    return isSame(parseTree(holder, formatParam(holder, { x: value })), { x: value })
  }
  const visit = (param: Param, path: string): void => {
    if (param.type === 'group') visitFields(param.fields, path)
    else if (param.type === 'variant') {
      if (param.default !== undefined && !param.definitions.some((d) => d.name === param.default)) wrong.push(path)
      for (const definition of param.definitions) visitFields(definition.params, `${path}[${definition.name}]`)
    } else if (param.default !== undefined && !readsBack(param, param.default)) wrong.push(path)
  }
  const visitFields = (fields: ParamFields, path: string): void => {
    if (Object.hasOwn(fields, 'kind')) wrong.push(`${path}.kind`)
    for (const [name, field] of Object.entries(fields)) visit(field, `${path}.${name}`)
  }
  visit(scenarioParams, '')
  expect(wrong).toEqual([])
})

test.each([
  [
    'switch.ecn.kmin=300KB',
    'switch.ecn.kmax: expected at least kmin, 300KB, received 200KB (marking rises from kmin to kmax)',
  ],
  [
    'pfc.byClass=[{class: 3, quanta: 9}, {class: 4, quanta: 9}, {class: 3, quanta: 8}]',
    'pfc.byClass.2.class: expected each class once, received 3 again',
  ],
  [
    'switch.buffer.byClass=[{class: 3, alpha: 1}, {class: 3, egressAlpha: 8}]',
    'switch.buffer.byClass.1.class: expected each class once, received 3 again',
  ],
  [
    'pfc.byClass=[{class: 3, quanta: 65536}]',
    'pfc.byClass.0.quanta: expected a whole number from 1 to 65535, received 65536',
  ],
  [
    'pfc=off',
    'pfc: expected a group with keys such as classes, quanta, byClass, received "off" (pfc.classes: [] turns it off)',
  ],
  ['pfc.classes=[3, 3]', 'pfc.classes.1: expected each class once, received 3 again'],
  ['switch.weights=[1, 1]', 'switch.weights: expected 8 weights, one for each class, received 2'],
  [
    'switch.buffer={kind: input-queued, xoff: 1MB}',
    'switch.buffer.xoff: expected at most portBuffer, 240KB, received 1MB',
  ],
  [
    'switch.buffer={kind: input-queued, portBuffer: 60KB}',
    'switch.buffer.xoff: expected at most portBuffer, 60KB, received 220KB (the default of xoff is 220KB: set switch.buffer.xoff too, such as 40KB, which leaves 20KB for packets that arrive after XOFF)',
  ],
  [
    'switch.buffer={kind: shared-buffer, size: 12MiB, headroom: 1GB}',
    'switch.buffer.headroom: expected at most the whole buffer, 12MiB, received 1GB',
  ],
  [
    'classes.dscpMap=["1-0: 3"]',
    'classes.dscpMap.0: expected "DSCP: CLASS" or "FROM-TO: CLASS" with DSCP 0..63 and class 0..7, received "1-0: 3"',
  ],
  [
    'nic.firstAddress=10.0.0.256',
    'nic.firstAddress: expected an IPv4 address such as "10.0.0.1", received "10.0.0.256"',
  ],
  [
    'qp.windowVariable=true',
    'qp.windowVariable: expected a window to vary, received true with window: off (set qp.window)',
  ],
  ['measure={end: stop}', 'measure.stop: expected a time, as end is stop, received off (or give measure.generate)'],
  [
    'measure={warmUp: 2ms, stop: 1ms}',
    'measure.stop: expected later than warmUp, 2ms, or off, received 1ms (nothing would be measured)',
  ],
  [
    'measure={warmUp: 2ms, generate: 2ms}',
    'measure.generate: expected later than warmUp, 2ms, or off, received 2ms (nothing would be measured)',
  ],
  ['measure.window=0s', 'measure.window: expected more than 0, or off, received 0ps'],
  [
    'faults=[{kind: link-down, links: hosts, down: 1ms}]',
    'faults.0.links: expected "A-B" or "A", nodes by number or name, comma separated, received "hosts"',
  ],
  [
    'faults=[{kind: link-down, links: 0-1, down: 1ms, up: 1ms}]',
    'faults.0.up: expected later than down, 1ms, or off, received 1ms',
  ],
  [
    'faults=[{kind: bernoulli, probability: 0.1, links: 4 to 5}]',
    'faults.0.links: expected all, hosts, fabric, or "A-B", "A>B" or "A", nodes by number or name, received "4 to 5"',
  ],
  [
    'congestion={kind: patched-timely, tLow: 600us, tHigh: 100us}',
    'congestion.tHigh: expected at least tLow, 600us, received 100us (between them the gradient decides)',
  ],
  [
    'topology={kind: graph, nodes: 3, switches: [1], links: [0 1 40Gbps 2us]}',
    'topology.links: expected a link at node 2, a host, received none (or name the node as a switch)',
  ],
  [
    'workload=[closed-loop]',
    'workload.0.messages: expected a number, as nothing else ends the run, received off (or give measure.generate or measure.stop)',
  ],
  [
    'workload=[poisson]',
    'workload.0.flows: expected a number, as nothing else ends the run, received off (or give measure.generate or measure.stop)',
  ],
])('--set %s cannot be meant', (set, message) => {
  expect(withSets(set)).toEqual([message])
})

test('every class that is sent has a codepoint', () => {
  const nothing = (path: string, c: number): string =>
    `${path}: expected a class that some DSCP maps to, received class ${c} (map one to it in classes.dscpMap, such as "${c * 8}: ${c}")`
  expect(withSets('classes.dscpMap=["0-63: 0"]')).toEqual([
    nothing('classes.data', 3),
    nothing('classes.cnpAtSwitch', 6),
  ])
  expect(
    withSets('classes.dscpMap=["0-63: 0", "48: 6"]', 'classes.ackAtSwitch=2', 'workload.0.trafficClass=0'),
  ).toEqual([nothing('classes.ackAtSwitch', 2)])
  expect(withSets('classes.dscpMap=["0-63: 3", "48: 6"]', 'workload.0.trafficClass=5')).toEqual([
    nothing('workload.0.trafficClass', 5),
  ])
  const flows =
    '["0 1 1KB 0us class=3", "0 1 1KB 0us class=4 dport=1", "0 1 1KB 0us tag=class=2", "0 1 1KB 0us class=9"]'
  expect(withSets('classes.dscpMap=["0-63: 3", "48: 6"]', `workload=[{kind: trace, flows: ${flows}}]`)).toEqual([
    nothing('workload.0.flows.1', 4),
  ])
  expect(withSets('classes.dscpMap=["0-63: 0"]', 'classes.classify=pcp')).toEqual([])
  expect(withSets('classes.dscpMap=["0-63: 0", "1-0: 3", "8: 8"]')).toHaveLength(2)
})

test('a window is large enough for the sender to request an ACK', () => {
  expect(withSets('qp.window=10KB', 'qp.ackInterval=16')).toEqual([
    'qp.window: expected at least 15361B, received 10KB (an ACK is requested every 16 packets of 1KiB; a smaller window waits for it forever)',
  ])
  expect(withSets('qp.window=10KB', 'qp.ackInterval=0')).toEqual([
    'qp.window: expected off where there are no ACKs, received 10KB (qp.ackInterval is 0)',
  ])
  expect(withSets('measure.completion=sender', 'qp.ackInterval=0')).toEqual([
    'measure.completion: expected receiver where there are no ACKs, received sender (qp.ackInterval is 0)',
  ])
})

test('the needs of a scheme are met', () => {
  const about = (...sets: string[]): string[] => withSets(...sets).map((line) => line.replace(/ \(set [^)]*\)$/, ''))
  expect(about('congestion=hpcc', 'qp.ackInterval=1', 'qp.ackCoalescing=2')).toEqual([
    'qp.ackCoalescing: expected 1, as hpcc needs ACKs of single packets, received 2',
  ])
  expect(about('congestion=qcn', 'switch.qcn.classes=[4, 5]')).toEqual([
    'switch.qcn.classes: expected a class of data such as 3, as qcn needs congestion points in switches, received [4, 5]',
  ])
  expect(about('congestion=qcn', 'switch.qcn.classes=[5]', 'workload.0.trafficClass=5')).toEqual([])
  expect(about('congestion=qcn', 'switch.ecn.classes=[]', 'qp.ackInterval=0')).toEqual([])
  expect(about('congestion=ldcp', 'qp.ecnEcho=ack')).toEqual([
    'switch.wred.classes: expected a class of data such as 3, as ldcp needs WRED, the early drop of packets that cannot be marked, received an empty list',
  ])
  expect(about('congestion=ldcp', 'qp.ecnEcho=ack', 'switch.wred.classes=[3]')).toEqual([])
  expect(about('recovery=iwarp', 'qp.receiveQueue=2')).toEqual([
    'qp.receiveQueue: expected off, as iwarp has no RNR NAK, received 2',
  ])
})

test.each(['irn', 'iwarp'])('%s has no more packets in flight than its PSNs can distinguish', (recovery) => {
  const params = recovery === 'irn' ? ['cap'] : ['initialWindow', 'receiveWindow']
  const setTo = (value: number): string[] =>
    withSets(`recovery=${recovery}`, ...params.map((name) => `recovery.${name}=${value}`))
  expect(setTo(2 ** 23)).toEqual([])
  const reported = setTo(2 ** 23 + 1)
  expect(reported.map((line) => line.replace(/, or off/, ''))).toEqual(
    params.map((name) => `recovery.${name}: expected a whole number from 1 to 8388608, received 8388609`),
  )
})

test('the two halves of MP-RDMA need each other', () => {
  expect(withSets('congestion=mp-rdma', 'qp.ecnEcho=ack')).toEqual([
    'recovery: expected a recovery that supports packets on several paths, as mp-rdma needs multipath, received go-back-n (set recovery=mp-rdma)',
  ])
  expect(withSets('recovery=mp-rdma', 'congestion=dcqcn')).toEqual([
    'congestion: expected a congestion control that supports packets on several paths, as mp-rdma needs multipath, received dcqcn (set congestion=mp-rdma)',
  ])
  expect(withSets('recovery=mp-rdma', 'congestion=mp-rdma', 'qp.ecnEcho=ack')).toEqual([])
})

test('a mistake does not suppress rules over other values', () => {
  const text = `name: t
topology: {kind: star, hosts: 4}
workload:
  - {kind: poisson, load: 2, sizes: {kind: cdf, points: ["5 0", "4 100"]}, flows: x}
  - {kind: poisson, load: 0.3}
  - {kind: incast, total: 1kb, trafficClass: 5}
  - {kind: poison}
  -
pfc: {classes: [3, 9, 3]}
switch:
  ecn: {classes: [3, 3], kmin: 9KB, kmax: 8KB, byRate: [{rate: 1Gbps, kmin: 2KB, kmax: 1KB, pmax: 1}, {rate: x, kmin: 1KB, kmax: 2KB, pmax: 1}]}
  strictClasses: [1, 1]
  buffer: {size: 1MB, reserve: 2MB, headroom: x, egressReserve: 2MB}
classes: {dscpMap: ["0-63: 3", "48: 6"], ackAtHost: x}
qp: {window: 1KB, ackInterval: 0, rnrTimer: x, ecnEcho: cnp}
congestion: dctcp
faults:
  - {kind: link-down, links: a b c, down: 1us, up: x}
  - {kind: link-down, links: 0-4, down: 2us, up: 1us}
  - {kind: link-dwn, links: 0-4}
measure: {window: 0s, warmUp: x, completion: sender, end: drain}
`
  const paths = pathsOf(text)
  const broken = [
    'workload.0.sizes.points.1',
    'workload.1.flows',
    'workload.2.trafficClass',
    'pfc.classes.2',
    'switch.ecn.classes.1',
    'switch.ecn.kmax',
    'switch.ecn.byRate.0.kmax',
    'switch.strictClasses.1',
    'switch.buffer.reserve',
    'switch.buffer.egressReserve',
    'qp.window',
    'qp.ackInterval',
    'qp.ecnEcho',
    'faults.0.links',
    'faults.1.up',
    'measure.window',
    'measure.completion',
  ]
  expect(paths.filter((path) => broken.includes(path)).toSorted()).toEqual(broken.toSorted())
  expect(paths.filter((path) => !broken.includes(path))).toEqual([
    'workload.0.flows',
    'workload.2.total',
    'workload.3.kind',
    'workload.4',
    'pfc.classes.1',
    'switch.ecn.byRate.1.rate',
    'switch.buffer.headroom',
    'classes.ackAtHost',
    'qp.rnrTimer',
    'faults.0.up',
    'faults.2.kind',
    'measure.warmUp',
  ])
})

/** Paths of the mistakes in a text. */
function pathsOf(source: string): string[] {
  try {
    parseScenario(source)
    return []
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    return error.issues.map(({ path }) => path)
  }
}

test('names, tags and descriptions have no control characters, which terminals would interpret', () => {
  const hostile =
    '{name: "\\e[2Jx", description: "a\\n\\tb\\e", topology: star, workload: [{kind: incast, tag: "\\x9b"}]}'
  expect(messages(hostile)).toEqual([
    String.raw`name: expected text without control characters, received "\u001b[2Jx" (leave them out)`,
    String.raw`description: expected text without control characters, received "a\n\tb\u001b" (leave them out)`,
    String.raw`workload.0.tag: expected text without control characters, received "\u009b" (leave them out)`,
  ])
  const file = '\u001B[2Jone.yaml'
  expect(parseScenario('{description: "a\\n\\tb", topology: star, workload: [permutation]}', { file }).name).toBe(
    '[2Jone',
  )
})

test('a scenario without a name takes that of its file, and keeps it when printed and read again', () => {
  const text = 'topology: star\nworkload: [{kind: closed-loop, messages: 1}]\n'
  const nameOf = (file?: string): string => parseScenario(text, file === undefined ? {} : { file }).name
  expect(['sub/in.cast.yaml', String.raw`c:\x\two.json`, '.hidden', 'plain', '/'].map(nameOf)).toEqual([
    'in.cast',
    'two',
    '.hidden',
    'plain',
    'scenario',
  ])
  expect(nameOf()).toBe('scenario')
  expect(parseScenario(`name: ""\n${text}`, { file: 'a.yaml' }).name).toBe('a')
  for (const file of ['a.yaml', 'scenario.yaml']) {
    const scenario = parseScenario(text, { file })
    for (const compact of [true, false])
      expect(parseScenario(formatScenario(scenario, { compact }), { file: 'other.yaml' })).toEqual(scenario)
  }
})
