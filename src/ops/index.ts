/** Ops: instruments that know what an operator knows: counters, links and configurations of devices. */
export * from './drift/index.ts'
export * from './model/index.ts'
