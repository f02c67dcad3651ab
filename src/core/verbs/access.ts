/** Access rights of memory regions: bits, as in the verbs (IBTA 10.6.3). Local reading is always allowed. */
export const LOCAL_WRITE = 1
export const REMOTE_WRITE = 2
export const REMOTE_READ = 4
export const REMOTE_ATOMIC = 8
