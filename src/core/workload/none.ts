/**
 * None: a workload that posts nothing, in place of one that is taken away, so that those behind it keep their numbers.
 */
import { NEVER_PS } from '../base/params.ts'
import { labelParams } from './labels.ts'
import { defineWorkload, type Source } from './workload.ts'

/** Has no message, ever. */
export const SILENT: Source = { nextStartPs: NEVER_PS, leftBytes: 0, take() {}, onComplete() {} }

export const none = defineWorkload({
  name: 'none',
  help: 'posts nothing: stands for a workload that is taken away',
  params: labelParams('none'),
  create: () => SILENT,
})
