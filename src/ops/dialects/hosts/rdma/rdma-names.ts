/**
 * Names of ports of RDMA devices.
 */

/** The device stands for its first port, since nearly all devices have one: "mlx5_1", "mlx4_0/2". */
export const rdmaName = (device: string, port: string): string => (port === '1' ? device : `${device}/${port}`)
