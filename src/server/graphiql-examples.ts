/** The operations that a new visitor of GraphiQL finds in tabs. Each runs as it stands. */
export const examples: readonly string[] = [
  `# Who you are to Engraph, by the token in «Headers» below.
query WhoAmI {
  viewer {
    kind
    user { login displayName }
    groups { key name }
  }
}
`,
  `# Adds three concepts and the links between them; what exists already stays.
mutation AddConcepts {
  upsertGraph(
    concepts: [
      { name: "Engraph", description: "Memory and execution backbone of LLM agents" }
      { name: "GraphQL", description: "A query language for APIs" }
      { name: "PostgreSQL", description: "A relational database" }
    ]
    links: [
      { from: "Engraph", relationType: "speaks", to: "GraphQL" }
      { from: "Engraph", relationType: "stores its data in", to: "PostgreSQL" }
    ]
  ) {
    concepts { id name }
    links { relationType }
  }
}
`,
  `# Concepts, what each leads to, and how many there are.
query Concepts {
  concepts(first: 10) {
    totalCount
    edges {
      node {
        id
        name
        description
        outgoing(first: 5) {
          edges { node { relationType to { name } } }
        }
      }
    }
    pageInfo { hasNextPage endCursor }
  }
}
`,
  `# One concept by its name, with its neighbours in both directions.
query OneConcept {
  concept(name: "Engraph") {
    name
    timestamp
    degree
    neighbors(first: 10) {
      edges { node { name description } }
    }
  }
}
`,
  `# Runs of processes, the newest first, with their steps. To see some: README, «A first run».
query Runs {
  runs(first: 10) {
    changesCursor
    edges {
      node {
        id
        status
        createdAt
        process { code name }
        steps { stepKey status }
      }
    }
  }
}
`,
  `# What happens in runs, over WebSocket, as it happens.
subscription RunChanges {
  runChanges {
    cursor
    event { __typename at run { id status process { code } } }
  }
}
`,
  `# The server's time, every second until you stop it.
subscription Clock {
  clock(everySeconds: 1)
}
`,
]
