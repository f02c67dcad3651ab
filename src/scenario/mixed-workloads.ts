/**
 * The workloads that a scenario can name, each with optional schemes of its own beside its params.
 */
import { groupLike, variantLike } from '../base/params.ts'
import { congestions } from '../transport/congestion/index.ts'
import { endpointParams } from '../transport/params.ts'
import { recoveries } from '../transport/recovery/index.ts'
import { workloads } from '../workload/index.ts'

const schemeParams = {
  recovery: variantLike(recoveries, 'recovery', {
    help: "loss recovery of its queue pairs; by default the scenario's",
  }),
  congestion: variantLike(congestions, 'congestion', {
    help: "congestion control of its queue pairs; by default the scenario's",
  }),
  qp: groupLike(endpointParams.fields, 'qp', {
    retired: endpointParams.retired,
    help: "settings of its queue pairs; keys that are left out are the scenario's",
  }),
} as const

type Plain = (typeof workloads)[number]
/** A workload with the schemes that it may have in place of the scenario's. */
type Mixed<D> = D extends Plain ? Omit<D, 'params'> & { readonly params: D['params'] & typeof schemeParams } : never

/** Every workload that a scenario can name. */
export const mixedWorkloads: readonly Mixed<Plain>[] = workloads.map((definition) => ({
  ...definition,
  params: { ...definition.params, ...schemeParams },
  // map() would give one type of definition with all params, not each definition with its own.
})) as unknown as readonly Mixed<Plain>[]
