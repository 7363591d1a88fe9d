; JSX defines nothing; see locals.scm.
