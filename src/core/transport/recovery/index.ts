/** Loss recovery schemes: one file and one line each. */
import { checkEpsn } from './check-epsn.ts'
import { goBack0 } from './go-back-0.ts'
import { goBackN } from './go-back-n.ts'
import { improvedGbn } from './improved-gbn.ts'
import { irn } from './irn.ts'
import { iwarp } from './iwarp.ts'
import { mpRdma } from './mp-rdma.ts'
import { sendTwice } from './send-twice.ts'
import { tcp } from './tcp.ts'

export type { RecoveryDefinition } from './recovery.ts'

export const recoveries = [goBackN, goBack0, sendTwice, checkEpsn, improvedGbn, irn, iwarp, mpRdma, tcp] as const
