/**
 * Rules for work requests: constraints between `verbs`, the queue pairs and the loss recovery.
 */
import { isAnswered, isPlain, type Operation } from '../../../core/workload/index.ts'
import { schemeSets } from '../mix.ts'
import { hasWorkRequests, operationOf, operationOfLine } from './operations.ts'
import type { Rule, RuleIssue } from '../text/parse-tree.ts'
import { issue, SOUND } from './rule-issue.ts'
import type { Scenario } from '../scenario.ts'
import { recoveriesOf } from '../schemes.ts'

/** Work requests complete when they are acknowledged. */
const acknowledged: Rule<Scenario> = {
  reads: ['workload', 'qp.ackInterval'],
  check: (scenario) =>
    schemeSets(scenario)
      .filter((set) => set.scenario.qp.ackInterval === 0 && hasWorkRequests(set.scenario))
      .map(({ isOwn, workloads: [first] }) =>
        issue(
          isOwn ? `workload.${first}.qp.ackInterval` : 'qp.ackInterval',
          '1 or more where there are work requests',
          '0',
          'they complete when they are acknowledged',
        ),
      ),
}

/** At least one outstanding work request is signalled, or no completion would make room for more. */
const signalled: Rule<Scenario> = {
  reads: ['verbs.signalEvery', 'verbs.sendDepth'],
  check: ({ verbs: { signalEvery, sendDepth } }) =>
    signalEvery <= sendDepth
      ? SOUND
      : [issue('verbs.signalEvery', `at most sendDepth, ${sendDepth}`, `${signalEvery}`, 'or set verbs.sendDepth')],
}

/** A recovery without requests carries no READ and no atomic. */
const requested: Rule<Scenario> = {
  reads: ['recovery', 'workload'],
  check: (scenario) => {
    const issues: RuleIssue[] = []
    scenario.workload.forEach((source, i) => {
      const recovery = source.recovery ?? scenario.recovery
      const { kind } = recovery
      const whyNoRequests = recoveriesOf({ recovery }).find(({ name }) => name === kind)?.whyNoRequests
      if (whyNoRequests === undefined) return
      const look = (path: string, operation: Operation, isWork: boolean): void => {
        if (!isAnswered(operation) || (isPlain(operation) && !isWork)) return
        issues.push(issue(path, `a WRITE or SEND under ${kind}`, operation, whyNoRequests))
      }
      if (source.kind !== 'trace') look(`workload.${i}.operation`, operationOf(source), source.workRequests)
      else {
        source.flows.forEach((line, k) => {
          const operation = operationOfLine(line)
          if (operation !== undefined) look(`workload.${i}.flows.${k}`, operation, source.workRequests)
        })
      }
    })
    return issues
  },
}

export const workRules: readonly Rule<Scenario>[] = [acknowledged, signalled, requested]
