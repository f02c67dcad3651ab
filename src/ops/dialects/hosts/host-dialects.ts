/**
 * Forms of hosts, in the order in which they are tried: outputs first, then what people write themselves.
 */
import type { Dialect } from '../dialect.ts'
import { mlxconfig } from './firmware/mlxconfig.ts'
import { mlxreg } from './firmware/mlxreg.ts'
import { ethtoolLink } from './link/ethtool-link.ts'
import { ethtoolPause } from './link/ethtool-pause.ts'
import { ethtoolTunable } from './link/ethtool-tunable.ts'
import { ipLink } from './link/ip-link.ts'
import { lldpNeighbors } from './link/lldp-neighbors.ts'
import { dcb } from './qos/dcb.ts'
import { lldptool, niccli } from './qos/dcbx-tlvs.ts'
import { mlnxQos } from './qos/mlnx-qos.ts'
import { nicctlDcqcn, nicctlPort, nicctlQos } from './qos/nicctl.ts'
import { cmaRoceTos } from './rdma/cma-roce-tos.ts'
import { ibdev2netdev } from './rdma/ibdev2netdev.ts'
import { ibvDevinfo } from './rdma/ibv-devinfo.ts'
import { rdmaLink } from './rdma/rdma-link.ts'
import { showGids } from './rdma/show-gids.ts'
import { jobEnvironment } from './shell/job-environment.ts'
import { shellSettings } from './shell/shell-settings.ts'

export const HOST_DIALECTS: readonly Dialect[] = [
  mlnxQos,
  dcb,
  nicctlQos,
  nicctlDcqcn,
  nicctlPort,
  niccli,
  lldptool,
  ethtoolPause,
  ethtoolLink,
  ethtoolTunable,
  ipLink,
  lldpNeighbors,
  rdmaLink,
  ibdev2netdev,
  showGids,
  ibvDevinfo,
  mlxreg,
  mlxconfig,
  cmaRoceTos,
  shellSettings,
  jobEnvironment,
]
