export { edgesOf, readingsOf } from './stored.ts'
export { readReadings } from './counters.ts'
export { readEdges } from './edges.ts'
