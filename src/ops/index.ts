/** Ops: instruments that know what an operator knows: counters, cables and configurations of devices. */
export * from './drift/index.ts'
export * from './model/index.ts'
