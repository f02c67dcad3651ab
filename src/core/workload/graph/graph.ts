/**
 * Graph: operations of ranks, written down one by one in GOAL (goal.ts): messages, receives and computes that wait for each
 * other.
 */
import { InputError, type Issue } from '../../base/issue.ts'
import { choice, count, list, text } from '../../base/params.ts'
import { defineWorkload } from '../workload.ts'
import { readGoal } from './goal.ts'
import { GraphSource } from './graph-source.ts'
import { graphPlanOf, jobParams, ranksFor } from './group.ts'
import { programOf } from './table/table-program.ts'

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
    sendDone: choice(['acknowledged', 'posted'], {
      default: 'acknowledged',
      help: 'when what waits for a send goes on: when it is acknowledged (of transports that hold ACKs back: when it has arrived), or at once, as eager sends of LogGOPSim do',
    }),
    nics: count({
      default: 1,
      min: 1,
      max: 256,
      help: 'hosts (or ports) that a rank has, one after the other, one for each nic of its messages; the receiver has the nic of the sender',
      source: 'ATLAHS: rank x nics + nic is the node of the network',
    }),
    ...jobParams('graph'),
  },
  isClosed: () => true,
  create(values, context) {
    const issues: Issue[] = []
    const table = readGoal(values.goal, 'goal', issues)
    const { nics } = values
    const used = table.nics
    if (issues.length === 0 && nics > 1 && used > nics) {
      const expected = `${used}, as messages have nics to ${used - 1}`
      issues.push({ path: 'nics', expected, received: `${nics}`, hint: '' })
    }
    const ranks = ranksFor(table.ranks * nics, 'goal', values, context, issues)
    if (issues.length > 0) throw new InputError(issues)
    const program = programOf(table)
    if (program.hasWildcards && values.rendezvous !== null) {
      const expected = 'off, as some receives take any message'
      throw new InputError([{ path: 'rendezvous', expected, received: `${values.rendezvous} bytes`, hint: '' }])
    }
    return new GraphSource({ ...graphPlanOf(values, context, ranks, program, values.sendDone), nics })
  },
})
