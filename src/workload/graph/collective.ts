/**
 * Collective: a group of hosts reduces, gathers or exchanges a buffer, as the programs of AI training do, again and again.
 * Which bytes go between which positions in which step is the algorithm's; a step begins when the messages it needs are there.
 */
import { InputError, type Issue } from '../../base/issue.ts'
import { choice, count, GB, size } from '../../base/params.ts'
import { formatQuantity } from '../../base/units.ts'
import { COLLECTIVES } from '../collective-names.ts'
import { defineWorkload } from '../workload.ts'
import { algorithms } from './algorithms/index.ts'
import { algorithmProblem, planOf } from './algorithms/plan.ts'
import { GraphSource } from './graph-source.ts'
import { graphPlanOf, jobParams, ranksOf } from './group.ts'
import { StepProgram } from './steps.ts'

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
    ...jobParams('collective'),
  },
  isClosed: () => true,
  create(values, context) {
    const issues: Issue[] = []
    const ranks = ranksOf(values, context, issues)
    const n = ranks.hostOf.length
    const options = { ...values, sizeBytes: values.size, elementBytes: values.element }
    const problem = algorithmProblem(options, n)
    if (problem !== null) issues.push({ path: 'algorithm', ...problem, hint: '' })
    if (values.size % values.element !== 0) {
      const expected = `a multiple of element, ${formatQuantity('size', values.element)}`
      issues.push({ path: 'size', expected, received: formatQuantity('size', values.size), hint: '' })
    }
    if (issues.length > 0) throw new InputError(issues)
    const program = new StepProgram(planOf(options, n), values.iterations)
    return new GraphSource(graphPlanOf(values, context, ranks, program))
  },
})
