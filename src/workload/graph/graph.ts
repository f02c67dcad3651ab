/**
 * Graph: operations of ranks, written down one by one in GOAL (goal.ts): messages, receives and computes that wait for each
 * other.
 */
import { InputError, type Issue } from '../../base/issue.ts'
import { choice, duration, list, text } from '../../base/params.ts'
import { applyLabels, labelParams } from '../labels.ts'
import { defineWorkload, type Message } from '../workload.ts'
import { readGoal } from './goal.ts'
import { GraphSource } from './graph-source.ts'
import { groupOf } from './group.ts'

const { operation: _verb, ...labels } = labelParams('graph')

export const operationGraph = defineWorkload({
  name: 'graph',
  help: 'operations of ranks that wait for each other, in GOAL',
  source: 'LogGOPSim and ATLAHS',
  params: {
    goal: list(
      text({ help: 'a line of GOAL: "num_ranks 2", "rank 0 {", "a: send 1024b to 1 tag 7", "b requires a", "}"' }),
      {
        minItems: 1,
        help: 'the program',
      },
    ),
    group: list(text({ help: 'a host number, or a range such as "0-7"' }), {
      default: [],
      help: 'hosts in the order of the ranks that are on them; a host may have several; none given: all, one rank each',
    }),
    sendDone: choice(['acknowledged', 'posted'], {
      default: 'acknowledged',
      help: 'when what waits for a send goes on: when it is acknowledged, or at once, as eager sends of LogGOPSim do',
    }),
    stepTime: duration({ default: 0, help: 'from the last byte of a message to the end of its receive' }),
    start: duration({ default: 0, help: 'time at which it begins' }),
    ...labels,
  },
  isClosed: () => true,
  create(values, context) {
    const issues: Issue[] = []
    const hostOf = groupOf(values.group, context.hostCount, issues, 'repeated')
    const table = readGoal(values.goal, 'goal', issues)
    if (issues.length === 0 && table.ranks > hostOf.length) {
      const received = `${hostOf.length} ${values.group.length === 0 ? 'hosts' : 'in group'}`
      issues.push({ path: 'goal', expected: `a host for each of ${table.ranks} ranks`, received, hint: '' })
    }
    if (issues.length > 0) throw new InputError(issues)
    return new GraphSource({
      program: table.program(),
      hostOf,
      startPs: values.start,
      stepTimePs: values.stepTime,
      isSendDoneWhenPosted: values.sendDone === 'posted',
      isLogged: context.isLogged === true,
      untilPs: context.generateUntilPs,
      label: (out: Message) => applyLabels(out, { ...values, operation: 'write' }),
    })
  },
})
