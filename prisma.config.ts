export default { schema: 'prisma' }
