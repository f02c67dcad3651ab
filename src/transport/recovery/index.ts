/** Loss recovery schemes: one file and one line each. */
import { goBack0 } from './go-back-0.ts'
import { goBackN } from './go-back-n.ts'

export const recoveries = [goBackN, goBack0] as const
