/**
 * Environment of a job: variables of NCCL and UCX that somebody has set, and defaults that are not those of the reader.
 * Source: as the reader (dialects/hosts/shell/job-environment.ts).
 */
import { JOB_DEFAULTS, JOB_LISTS, JOB_NUMBERS } from '../../dialects/hosts/shell/job-environment.ts'
import { knownOf, type JobSettings, type Value } from '../../../../core/device-model/index.ts'
import type { Form } from './host-port.ts'

/** Value of a variable where nobody has set it; undefined: none is known. */
function defaultOf(variable: string, job: JobSettings): number | undefined {
  const own = Object.entries(JOB_DEFAULTS).find(([name]) => name === variable)?.[1]
  return own ?? (/^NCCL_(?:IB_FIFO|GIN_IB)_TC$/.test(variable) ? (knownOf(job.ncclIbTc) ?? 0) : undefined)
}

const quoted = (text: string): string => (/[\s;']/.test(text) ? `"${text}"` : text)

function linesOf(job: JobSettings): string[] {
  const variables: (readonly [name: string, value: Value<number | string | boolean>])[] = [
    ['NCCL_GIN_ENABLE', job.isNcclGinOn],
    ...Object.entries({ ...JOB_LISTS, ...JOB_NUMBERS }).map(([name, field]) => [name, job[field]] as const),
  ]
  const given = variables.filter(([, value]) => knownOf(value) !== undefined)
  const set = given.filter(([name, value]) => value.state !== 'default' || knownOf(value) !== defaultOf(name, job))
  // Where nobody has set any variable of NCCL, nothing says that NCCL is used.
  const isSilent = !set.some(([name]) => name.startsWith('NCCL_'))
  const lines = (isSilent ? given : set).map(([name, value]) => {
    const plain = knownOf(value)!
    return `${name}=${typeof plain === 'string' ? quoted(plain) : Number(plain)}`
  })
  // The list of NVSHMEM counts with its mapping alone, and UCX has times where queue pairs have codes.
  if (knownOf(job.nvshmemHcaList) !== undefined) lines.push('NVSHMEM_ENABLE_NIC_PE_MAPPING=1')
  const code = job.ucxRcTimeout.state === 'default' ? undefined : knownOf(job.ucxRcTimeout)
  if (code !== undefined) lines.push(`UCX_RC_TIMEOUT=${code === 0 ? 20_000 : (4.096e-6 * 2 ** code).toFixed(9)}s`)
  return lines
}

export const job: Form = (host) => {
  const lines = host.job === undefined ? [] : linesOf(host.job)
  return lines.length === 0 ? [] : [{ file: 'nccl.env', text: `${lines.join('\n')}\n`, command: '' }]
}
