/**
 * Collective: a group of hosts reduces, gathers or exchanges a buffer, as the programs of AI training do, again and again.
 * Which bytes go between which positions in which step is the algorithm's; a step begins when the messages it needs are there.
 */
import { InputError, type Issue } from '../../base/issue.ts'
import { choice, count, duration, GB, list, size, text } from '../../base/params.ts'
import { formatQuantity } from '../../base/units.ts'
import { applyLabels, labelParams } from '../labels.ts'
import { defineWorkload, type Message } from '../workload.ts'
import { type Algorithm, log2Floor } from './algorithms/algorithm.ts'
import { COLLECTIVES } from '../collective-names.ts'
import { algorithms } from './algorithms/index.ts'
import { GraphSource } from './graph-source.ts'
import { groupOf } from './group.ts'
import { StepProgram } from './steps.ts'

const { operation: _verb, ...labels } = labelParams('collective')

export const collective = defineWorkload({
  name: 'collective',
  help: 'a group of hosts that reduce, gather or exchange a buffer, step by step',
  source: 'NCCL and MPI; Thakur et al., "Optimization of collective communication operations in MPICH" (2005)',
  params: {
    operation: choice(COLLECTIVES, { default: 'all-reduce', help: 'what becomes of the buffer' }),
    algorithm: choice(['default', ...algorithms.map(({ name }) => name)], {
      default: 'default',
      help: `who sends what to whom: ${algorithms.map(({ name, help }) => `${name} (${help})`).join(', ')}; default: the first of these that has the operation`,
    }),
    size: size({
      default: GB,
      min: 1,
      help: 'the whole buffer; of an all-gather, gather or scatter that of all positions together',
    }),
    element: size({ default: 4, min: 1, help: 'elements that are not cut, of which the buffer has a whole number' }),
    group: list(text({ help: 'a host number, or a range such as "0-7"' }), {
      default: [],
      help: 'hosts in the order of their positions, each once; none given: all',
    }),
    channels: count({
      default: 1,
      min: 1,
      max: 4096,
      help: 'shares of the buffer, each with queue pairs of its own',
    }),
    slices: count({ default: 1, min: 1, max: 65536, help: 'pieces of a part that go on by themselves' }),
    order: choice(['rotated', 'ascending'], {
      default: 'rotated',
      help: 'order in which a full exchange is posted: from the next position on, or from position 0',
    }),
    iterations: count({ default: 1, min: 1, max: 10_000_000, help: 'times it is done, each rank at its own pace' }),
    stepTime: duration({
      default: 0,
      help: 'from the last byte of a message to what waits for it: completion seen, data reduced, next work posted',
      source: "NCCL's model of a network step: 2 us (LL) to 14 us (Simple), of which some 2 us are the wire",
    }),
    start: duration({ default: 0, help: 'time at which it begins' }),
    ...labels,
  },
  isClosed: () => true,
  create(values, context) {
    const issues: Issue[] = []
    const hostOf = groupOf(values.group, context.hostCount, issues)
    const n = hostOf.length
    const algorithm = algorithmOf(values.operation, values.algorithm, n, issues)
    if (values.size % values.element !== 0) {
      const expected = `a multiple of element, ${formatQuantity('size', values.element)}`
      issues.push({ path: 'size', expected, received: formatQuantity('size', values.size), hint: '' })
    }
    if (issues.length > 0 || algorithm === null) throw new InputError(issues)
    const { operation, channels, slices, order, iterations } = values
    const shape = {
      operation,
      n,
      elements: values.size / values.element,
      elementBytes: values.element,
      channels,
      slices,
      order,
    }
    const label = (out: Message): void => applyLabels(out, { ...values, operation: 'write' })
    return new GraphSource({
      program: new StepProgram({
        plan: algorithm.plan(shape),
        operation,
        algorithm: algorithm.name,
        ranks: n,
        channels,
        iterations,
        sizeBytes: values.size,
        elementBytes: values.element,
      }),
      hostOf,
      startPs: values.start,
      stepTimePs: values.stepTime,
      isSendDoneWhenPosted: false,
      isLogged: context.isLogged === true,
      untilPs: context.generateUntilPs,
      label,
    })
  },
})

/** The algorithm with this name, or the operation's first; null, with an issue, if there is none for the group. */
function algorithmOf(
  operation: Algorithm['operations'][number],
  name: string,
  n: number,
  issues: Issue[],
): Algorithm | null {
  const able = algorithms.filter(({ operations }) => operations.includes(operation))
  const algorithm = able.find((each) => name === 'default' || each.name === name)
  const wrong = (expected: string, received: string): null => {
    issues.push({ path: 'algorithm', expected, received, hint: '' })
    return null
  }
  if (algorithm === undefined) return wrong(`one with ${operation}: ${able.map((each) => each.name).join(', ')}`, name)
  if (algorithm.powerOfTwo && n !== 2 ** log2Floor(n))
    return wrong(`one for ${n} positions, which are no power of two`, algorithm.name)
  return algorithm
}
