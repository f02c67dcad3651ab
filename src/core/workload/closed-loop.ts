/**
 * Closed loop: named pairs of hosts, each with a number of messages under way at all times.
 * Text form of a pair: "SOURCE DESTINATION", each a host or a range ("0-7 8"); of ranges, every source sends to every
 * destination but itself.
 */
import { InputError, type Issue } from '../base/issue.ts'
import { count, list, text } from '../base/params.ts'
import { sizeIssues } from './labels.ts'
import { isClosedLoop, loopOf, loopParams } from './loop-params.ts'
import { createLoopSource, type Pair } from './loop-source.ts'
import { defineWorkload } from './workload.ts'

export const closedLoop = defineWorkload({
  name: 'closed-loop',
  help: 'pairs of hosts that post the next message when one is finished',
  source: 'the perftest tools; [IGBN] section 4',
  params: {
    pairs: list(text({ help: '"SOURCE DESTINATION": host numbers or ranges, for example "0 1" or "0-7 8"' }), {
      default: ['0 1'],
      minItems: 1,
      help: 'who sends to whom; of ranges, every source sends to every destination but itself',
    }),
    qpsPerPair: count({ default: 1, min: 1, max: 4096, help: 'connections of each pair' }),
    ...loopParams(null, 'closed-loop'),
  },
  isClosed: isClosedLoop,
  create(values, context) {
    const issues: Issue[] = sizeIssues('messageSize', values, values.messageSize)
    const connections: Pair[] = []
    values.pairs.forEach((line, index) => {
      const pairs = parsePairs(line, context.hostCount)
      if (pairs.length === 0) {
        const expected = `"SOURCE DESTINATION", two different hosts 0 to ${context.hostCount - 1}, or ranges`
        issues.push({ path: `pairs.${index}`, expected, received: `"${line}"`, hint: '' })
      }
      for (const pair of pairs) for (let qp = 0; qp < values.qpsPerPair; qp++) connections.push(pair)
    })
    if (issues.length > 0) throw new InputError(issues)
    return createLoopSource(loopOf(values, context, connections))
  },
})

/** Empty when the line cannot be read. */
function parsePairs(line: string, hostCount: number): Pair[] {
  const parts = /^\s*(\d{1,9})(?:-(\d{1,9}))?\s+(\d{1,9})(?:-(\d{1,9}))?\s*$/.exec(line)
  if (parts === null) return []
  const [, from = '', fromLast = from, to = '', toLast = to] = parts
  if (Number(fromLast) >= hostCount || Number(toLast) >= hostCount) return []
  const pairs: Pair[] = []
  for (let source = Number(from); source <= Number(fromLast); source++) {
    for (let destination = Number(to); destination <= Number(toLast); destination++) {
      if (source !== destination) pairs.push({ source, destination })
    }
  }
  return pairs
}
